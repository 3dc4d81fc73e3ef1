interface ProgressProps {
  /** The work in progress, for screen readers. */
  readonly label: string;
  /** From 0 to 1; undefined if unknown. */
  readonly share: number | undefined;
}

/** A native progress bar. */
export const Progress = ({ label, share }: ProgressProps) => (
  <progress aria-label={label} max={1} {...(share === undefined ? {} : { value: share })} />
);
