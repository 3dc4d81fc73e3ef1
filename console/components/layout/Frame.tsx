import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type { Count, FrameView, SessionView } from "../../../src/console/api/index.ts";
import { OPERATOR_ONLY } from "../../../src/domain/console-role.ts";
import { type Command, useCommands } from "../../commands/registry.ts";
import { compact, counted, grouped } from "../../format/numbers.ts";
import { useLive } from "../../live.ts";
import { address, linkTo } from "../../router.ts";
import { may, signOut } from "../../session.ts";
import { Dialog } from "../dialogs/Dialog.tsx";
import { Commands, Finder } from "../palette/Commands.tsx";
import { orSay, Toasts } from "../Toasts.tsx";
import { Name } from "../text.tsx";
import { Icon, type IconName } from "./Icon.tsx";
import { Mark } from "./Mark.tsx";

/** An entry of the navigation. */
export interface Section {
  readonly title: string;
  readonly icon: IconName;
  readonly path: string;
  readonly countOf?: (frame: FrameView) => Count | number | null;
}

interface FrameProps {
  readonly view: SessionView;
  readonly sections: readonly Section[];
  /** All pages that the palette leads to. */
  readonly destinations: readonly Command[];
  readonly children: ComponentChildren;
}

/** The navigation and footer around every page. */
export function Frame({ view, sections, destinations, children }: FrameProps) {
  const { data: frame, error } = useLive<FrameView>("/frame");
  return (
    <div class="frame">
      <a class="skip" href="#page">
        Skip to content
      </a>
      {view.environment === "staging" && (
        <aside class="band" aria-label="Environment">
          <b>Staging.</b> Production is not affected.
        </aside>
      )}
      <div class="side">
        <header class="side-top">
          <Brand />
          <Finder />
          <nav aria-label="Console">
            <ul>
              {sections.map((section) => (
                <Entry key={section.path} section={section} frame={frame} />
              ))}
            </ul>
          </nav>
        </header>
        <About view={view} frame={frame} isReachable={error === undefined} />
      </div>
      <main id="page" tabIndex={-1}>
        {children}
      </main>
      <Toasts />
      <Commands destinations={destinations} />
    </div>
  );
}

export const Brand = () => (
  <a class="brand" href={linkTo("")} aria-label="Animal Store, overview">
    <Mark />
    <span>Animal Store</span>
  </a>
);

function Entry({ section, frame }: { readonly section: Section; readonly frame: FrameView | undefined }) {
  const { path } = address.value;
  const isHere = path === section.path;
  const isBelow = section.path !== "" && path.startsWith(`${section.path}/`);
  const count = frame && section.countOf?.(frame);
  const link = useRef<HTMLAnchorElement>(null);
  // On a phone, the last entries may be scrolled out of sight.
  useEffect(() => {
    if (isHere || isBelow) link.current?.scrollIntoView({ inline: "nearest", block: "nearest" });
  }, [isHere, isBelow]);
  return (
    <li>
      <a ref={link} href={linkTo(section.path)} aria-current={isHere ? "page" : isBelow ? "true" : undefined}>
        <Icon name={section.icon} />
        <span>{section.title}</span>
        {count !== undefined && count !== null && <EntryCount count={count} />}
      </a>
    </li>
  );
}

const EntryCount = ({ count }: { readonly count: Count | number }) =>
  typeof count === "number" ? (
    <span class="count">{grouped(count)}</span>
  ) : (
    <span class="count" title={counted(count)}>
      {/* The word would need more room than a row of entries has. */}
      {count.isEstimate && (
        <>
          <span class="unseen">about </span>
          <span aria-hidden="true">≈&thinsp;</span>
        </>
      )}
      {compact(count.value)}
    </span>
  );

interface AboutProps {
  readonly view: SessionView;
  readonly frame: FrameView | undefined;
  readonly isReachable: boolean;
}

/** The footer: the state of the fleet, and who is signed in. */
function About({ view, frame, isReachable }: AboutProps) {
  const [isLeaving, setLeaving] = useState(false);
  useCommands([{ title: "Sign out", run: () => setLeaving(true), isGeneral: true }]);
  const versions = frame?.versions.join(" and ") || view.version;
  return (
    <footer class="about">
      {frame !== undefined && frame.alerts > 0 && (
        <a class="attention" href={linkTo("")}>
          {countOf(frame.alerts, "thing needs attention", "things need attention")}
        </a>
      )}
      <span>
        <i class={!isReachable || (frame && frame.alerts > 0) ? "dot is-warning" : "dot"} />
        {!isReachable
          ? "Not responding"
          : frame
            ? `${countOf(frame.instances, "instance")}, version ${versions}`
            : `Version ${versions}`}
      </span>
      <span>
        <bdi>{view.name}</bdi>
        {view.role !== "operator" && ` (${view.role})`},{" "}
        <button type="button" class="is-link" onClick={() => setLeaving(true)}>
          sign out
        </button>
      </span>
      {isLeaving && <SignOut name={view.name} onClose={() => setLeaving(false)} />}
    </footer>
  );
}

function SignOut({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const mayEndAll = may(OPERATOR_ONLY);
  const leave = (isEverywhere: boolean) => () => void orSay(signOut({ isEverywhere }));
  return (
    <Dialog title="Sign out" onClose={onClose}>
      <p>
        You are signed in as <Name>{name}</Name>.
        {mayEndAll && " Signing out everywhere ends every session of the console, including other people's."}
      </p>
      <div class="dialog-buttons">
        <button type="button" onClick={onClose}>
          Stay
        </button>
        {mayEndAll && (
          <button type="button" onClick={leave(true)}>
            Sign out everywhere
          </button>
        )}
        <button type="button" class="is-main" onClick={leave(false)}>
          Sign out here
        </button>
      </div>
    </Dialog>
  );
}
