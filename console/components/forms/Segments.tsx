import type { ComponentChildren } from "preact";
import { goingTo, useCommands } from "../../commands/registry.ts";

interface SegmentsProps {
  readonly label: string;
  readonly choices: readonly { readonly label: string; readonly href: string; readonly isCurrent: boolean }[];
  /** A last choice that is no link. */
  readonly children?: ComponentChildren;
}

/** A segmented control whose choices are links. */
export function Segments({ label, choices, children }: SegmentsProps) {
  useCommands(choices.map((choice) => ({ ...goingTo(`${label}: ${choice.label}`, choice.href), isOnDemand: true })));
  return (
    <nav class="segments" aria-label={label}>
      {choices.map((choice) => (
        <a key={choice.label} href={choice.href} aria-current={choice.isCurrent ? "true" : undefined}>
          {choice.label}
        </a>
      ))}
      {children}
    </nav>
  );
}
