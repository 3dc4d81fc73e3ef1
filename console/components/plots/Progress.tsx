interface ProgressProps {
  /** What is being done, for screen readers. */
  readonly label: string;
  /** From 0 to 1; undefined: nobody knows. */
  readonly share: number | undefined;
}

/** A native progress bar. */
export const Progress = ({ label, share }: ProgressProps) => (
  <progress aria-label={label} max={1} {...(share === undefined ? {} : { value: share })} />
);
