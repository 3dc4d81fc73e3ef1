import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { navigate } from "../router.ts";

// The actions of the current page. A page declares each action once: its button and the palette share the declaration.

export interface Command {
  /** Says what is done without the page around it: "Rotate this key". */
  readonly title: string;
  readonly run: () => void;
  /** The key that does it without the palette. */
  readonly press?: string | undefined;
  /** The address, if it leads to one. */
  readonly href?: string;
  /** There are many like it, such as one for each order, so it is offered only to those who type its title. */
  readonly isOnDemand?: boolean;
  /** It belongs to the console, not to the page. */
  readonly isGeneral?: boolean;
}

/** A part of a page that may do nothing for now, or for this role. */
type Maybe<T> = T | false | undefined;

interface Source {
  commands: readonly Command[];
}

const sources = new Set<Source>();
/** Changes with the commands, so that an open palette follows the page behind it. */
const version = signal(0);

function changed(): void {
  version.value = version.peek() + 1;
}

/** Offers commands for as long as the component is shown. */
export function useCommands(commands: readonly Maybe<Command>[]): void {
  const source = useRef<Source>({ commands: [] });
  useLayoutEffect(() => {
    source.current.commands = commands.filter((command) => command !== false && command !== undefined);
    changed();
  });
  useLayoutEffect(() => {
    sources.add(source.current);
    return () => {
      sources.delete(source.current);
      changed();
    };
  }, []);
}

/** A command that leads to another page, or to other filters of this one. */
export const goingTo = (title: string, href: string): Command => ({ title, href, run: () => navigate(href) });

/** The commands of everything that is shown. */
export function currentCommands(): readonly Command[] {
  void version.value;
  return [...sources].flatMap(({ commands }) => commands);
}
