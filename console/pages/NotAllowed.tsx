import type { Roles } from "../../src/domain/console-role.ts";
import { Page } from "../components/layout/Page.tsx";
import { Empty } from "../components/layout/states.tsx";
import { linkTo } from "../router.ts";
import { currentRole } from "../session.ts";

/** In the place of a page that is for others. Its data would be refused by the server, too. */
export const NotAllowed = ({ roles }: { readonly roles: Roles }) => (
  <Page title="Not for your role">
    <Empty title={`A ${currentRole()} does not see this page`}>
      It is for the role {roles.join(" or ")}. Ask the operator of the store, or{" "}
      <a href={linkTo("")}>go to the overview</a>.
    </Empty>
  </Page>
);
