import { Mark } from "../components/layout/Mark.tsx";
import { Toasts } from "../components/Toasts.tsx";
import { EnterKey } from "./EnterKey.tsx";
import { held } from "./held-key.ts";
import { KeyPage } from "./KeyPage.tsx";

/** Asks for a key, then shows it. */
export const Account = () => (
  <>
    <main class="account">
      <p class="brand">
        <Mark />
        <span>Animal Store</span>
      </p>
      {held.value === undefined ? <EnterKey /> : <KeyPage secret={held.value} />}
    </main>
    <Toasts />
  </>
);
