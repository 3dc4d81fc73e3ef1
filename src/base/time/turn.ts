type Step = () => void;

const steps: Step[] = [];

/**
 * Runs a step once everything that arrived in this turn of the event loop has been looked at. A step may
 * add further ones, which run in the same turn. One that throws ends only itself.
 */
export function atEndOfTurn(step: Step): void {
  if (steps.push(step) === 1) setImmediate(runSteps);
}

function runSteps(): void {
  let ran = 0;
  try {
    while (ran < steps.length) (steps[ran++] as Step)();
  } finally {
    // Whatever a step has thrown is reported as uncaught, and the others run after that.
    steps.splice(0, ran);
    if (steps.length > 0) setImmediate(runSteps);
  }
}

/** Resolves in the next turn of the event loop: what has arrived meanwhile comes first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
