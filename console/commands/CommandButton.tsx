import type { ComponentChildren } from "preact";
import type { Command } from "./registry.ts";

interface CommandButtonProps {
  /** Nothing is rendered if it cannot be done now, or not by this role. */
  readonly of: Command | false | undefined;
  readonly class?: string | undefined;
  readonly rel?: string;
  /** The words on the button, if fewer than the title say it beside what it is about. */
  readonly children?: ComponentChildren;
}

/** The button of a command, or its link. */
export const CommandButton = ({ of, class: look, rel, children }: CommandButtonProps) =>
  !of ? null : of.href === undefined ? (
    <button type="button" class={look} onClick={of.run}>
      {children ?? of.title}
    </button>
  ) : (
    <a class={look ?? "button"} rel={rel} href={of.href}>
      {children ?? of.title}
    </a>
  );
