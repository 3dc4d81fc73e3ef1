import { Page } from "../components/layout/Page.tsx";
import { Empty } from "../components/layout/states.tsx";
import { linkTo } from "../router.ts";

export const NotFound = () => (
  <Page title="Not found">
    <Empty title="There is no such page">
      The address may be mistyped, or of another version of the console. <a href={linkTo("")}>Go to the overview</a>
    </Empty>
  </Page>
);
