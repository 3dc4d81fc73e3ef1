import { batch, signal } from "@preact/signals";
import { MINUTE_MS, SECOND_MS } from "../../src/base/time/clock.ts";
import type { OwnKey } from "./wire.ts";

// The key that was typed in. It is nowhere but in this variable and in the headers of requests: not in the address, a
// cookie, storage or the title. It is forgotten when the page is left, and after a while without use.

const IDLE_MS = 15 * MINUTE_MS;
const LOOK_MS = 10 * SECOND_MS;

export const held = signal<string | undefined>(undefined);
/** The key as it was when it was last asked for. */
export const opened = signal<OwnKey | undefined>(undefined);
/** Why there is none any more; undefined if there never was one, or its holder has closed it. */
export const forgotten = signal<string | undefined>(undefined);

let usedAtMs = 0;

export const hold = (secret: string, key?: OwnKey): void =>
  batch(() => {
    usedAtMs = Date.now();
    forgotten.value = undefined;
    if (key) opened.value = key;
    held.value = secret;
  });

export const forget = (reason?: string): void =>
  batch(() => {
    forgotten.value = reason;
    held.value = undefined;
    opened.value = undefined;
  });

/** Called once. `leave` removes everything that is shown. */
export function startForgetting(leave: () => void): void {
  // A machine that slept is looked at by its clock: timers stand still meanwhile.
  const look = (): void => {
    if (held.peek() !== undefined && Date.now() - usedAtMs >= IDLE_MS)
      forget("The key was forgotten, because this page was not used for 15 minutes.");
  };
  const use = (): void => {
    look();
    usedAtMs = Date.now();
  };
  for (const event of ["pointerdown", "keydown", "wheel"])
    addEventListener(event, use, { capture: true, passive: true });
  for (const event of ["focus", "pageshow"]) addEventListener(event, look);
  document.addEventListener("visibilitychange", look);
  setInterval(look, LOOK_MS);
  addEventListener("pagehide", () => {
    forget();
    leave();
  });
  addEventListener("pageshow", (event: PageTransitionEvent) => {
    if (event.persisted) location.reload();
  });
}
