import { Page } from "../components/layout/Page.tsx";
import { Empty } from "../components/layout/states.tsx";
import { linkTo } from "../router.ts";

export const NotFound = () => (
  <Page title="Not found">
    <Empty title="This page does not exist">
      The address may be mistyped, or belong to another version of the console.{" "}
      <a href={linkTo("")}>Go to the overview</a>
    </Empty>
  </Page>
);
