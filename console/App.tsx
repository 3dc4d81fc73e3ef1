import { type Command, goingTo } from "./commands/registry.ts";
import { Frame, type Section } from "./components/layout/Frame.tsx";
import { PAGES } from "./pages/index.ts";
import { NotAllowed } from "./pages/NotAllowed.tsx";
import { NotFound } from "./pages/NotFound.tsx";
import { SignIn } from "./pages/SignIn.tsx";
import { address, linkTo, match } from "./router.ts";
import { may, session } from "./session.ts";

/** The pages in the navigation of the person who is signed in. */
const sections = (): readonly Section[] =>
  PAGES.flatMap(({ section, path, roles }) => (section && may(roles) ? [{ ...section, path }] : []));

/** All pages that need no id, for this person. */
const destinations = (): readonly Command[] =>
  PAGES.flatMap(({ path, title, section, roles }) => {
    const name = section?.title ?? title;
    return name !== undefined && may(roles) ? [goingTo(name, linkTo(path))] : [];
  });

/** Shows the sign-in page, or the page of the current address within the frame. */
export function App() {
  const state = session.value;
  if (state.kind === "starting") return null;
  const view = state.kind === "in" ? state.view : state.kept;
  // The key is the person in their role: nobody else sees what was not finished.
  return (
    <>
      {view && (
        <Frame key={`${view.role} ${view.name}`} view={view} sections={sections()} destinations={destinations()}>
          <PageAt path={address.value.path} />
        </Frame>
      )}
      {state.kind !== "in" && <SignIn state={state} />}
    </>
  );
}

/** Keyed by path, so that each path gets a new page with its own focus and data. */
function PageAt({ path }: { readonly path: string }) {
  for (const { path: pattern, Page, roles } of PAGES) {
    const params = match(pattern, path);
    if (params && !may(roles)) return <NotAllowed key={path} roles={roles} />;
    if (params) return <Page key={path} params={params} />;
  }
  return <NotFound />;
}
