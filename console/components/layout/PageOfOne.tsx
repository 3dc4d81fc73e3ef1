import type { ComponentChildren } from "preact";
import type { Live } from "../../live.ts";
import { Page, type Parent } from "./Page.tsx";
import { Loaded } from "./states.tsx";

interface PageOfOneProps<T> {
  readonly live: Live<T>;
  /** The title until the name is known. */
  readonly title: string;
  /** "the key" */
  readonly what: string;
  readonly parent: Parent;
  readonly children: (data: T) => ComponentChildren;
}

/** A page about one thing. Until that is loaded, shows that it is loading, or what went wrong. */
export function PageOfOne<T>({ live, title, what, parent, children }: PageOfOneProps<T>) {
  if (live.data !== undefined) return <>{children(live.data)}</>;
  return (
    <Page title={title} parent={parent}>
      <Loaded live={live} what={what} restart={parent.href}>
        {() => null}
      </Loaded>
    </Page>
  );
}
