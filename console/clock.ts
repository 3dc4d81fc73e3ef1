import { signal } from "@preact/signals";

// The server's time, so that "2 min ago" is right even if the viewer's clock is wrong.

let aheadMs = 0;

/** Changes every few seconds while the page is visible, so that relative times stay right. */
export const now = signal(Date.now());

const TICK_MS = 5000;

export const serverNow = (): number => Date.now() + aheadMs;

export function setClock(serverNowMs: number): void {
  aheadMs = serverNowMs - Date.now();
  now.value = serverNowMs;
}

export function startClock(): void {
  const tick = (): void => {
    if (!document.hidden) now.value = serverNow();
  };
  setInterval(tick, TICK_MS);
  document.addEventListener("visibilitychange", tick);
}
