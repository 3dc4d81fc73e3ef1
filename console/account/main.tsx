import { render } from "preact";
import { Account } from "./Account.tsx";
import { startForgetting } from "./held-key.ts";

const root = document.getElementById("app") as HTMLElement;

render(<Account />, root);
// Also in the memory of a page that the browser keeps for its Back button: what it has shown is gone.
startForgetting(() => render(null, root));
