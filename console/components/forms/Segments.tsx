interface SegmentsProps {
  readonly label: string;
  readonly choices: readonly { readonly label: string; readonly href: string; readonly isCurrent: boolean }[];
}

/** A segmented control whose choices are links. */
export const Segments = ({ label, choices }: SegmentsProps) => (
  <nav class="segments" aria-label={label}>
    {choices.map((choice) => (
      <a key={choice.label} href={choice.href} aria-current={choice.isCurrent ? "true" : undefined}>
        {choice.label}
      </a>
    ))}
  </nav>
);
