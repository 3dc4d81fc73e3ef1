// Keeps a floating element off everything that can be clicked.

const CONTROLS = "a[href], button, input, select, textarea, summary, [role=slider]";
const STEP_PX = 8;
const MARGIN_PX = 16;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The area that two boxes share. */
const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Place {
  readonly x: number;
  readonly y: number;
  /** The area of controls that it covers. */
  readonly covered: number;
}

/**
 * The place that covers least of the controls, if possible nothing: the lowest one, and of those the rightmost. It is
 * the lower right corner unless something is there.
 */
export function clearPlace(size: Size, window: Size, controls: readonly Box[]): Place {
  const [maxX, maxY] = [window.width - size.width - MARGIN_PX, window.height - size.height - MARGIN_PX];
  const columns = [...new Set([maxX, maxX / 2 + MARGIN_PX / 2, MARGIN_PX].map((x) => Math.max(0, x)))];
  let best = { x: columns[0] as number, y: Math.max(0, maxY), covered: Number.POSITIVE_INFINITY };
  for (let y = maxY; y >= 0; y -= STEP_PX)
    for (const x of columns) {
      const box = { left: x, top: y, right: x + size.width, bottom: y + size.height };
      const covered = controls.reduce((sum, control) => sum + overlap(box, control), 0);
      if (covered < best.covered) best = { x, y, covered };
      if (covered === 0) return best;
    }
  return best;
}

/** Places an element, and places it again when something moves below it. Returns a function that ends this. */
export function keepClear(element: HTMLElement): () => void {
  let isAsked = false;
  const place = (): void => {
    isAsked = false;
    const around = element.closest("dialog") ?? document.body;
    const controls = [...around.querySelectorAll<HTMLElement>(CONTROLS)]
      .filter((control) => !element.contains(control) && control.checkVisibility({ visibilityProperty: true }))
      .map((control) => control.getBoundingClientRect());
    const { width, height } = element.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const { x, y } = clearPlace({ width, height }, { width: clientWidth, height: clientHeight }, controls);
    Object.assign(element.style, { left: `${x}px`, top: `${y}px` });
  };
  const ask = (): void => {
    if (!isAsked) requestAnimationFrame(place);
    isAsked = true;
  };
  place();
  const changes = new MutationObserver(ask);
  changes.observe(document.body, { childList: true, subtree: true });
  addEventListener("scroll", ask, true);
  addEventListener("resize", ask);
  return () => {
    changes.disconnect();
    removeEventListener("scroll", ask, true);
    removeEventListener("resize", ask);
  };
}
