import { type Browser, chromium } from "playwright-core";
import { CHROMIUM, CHROMIUM_OPTIONS } from "./chromium.ts";

/** Launches the installed Chromium with as few processes as possible. */
export function launchChromium(): Promise<Browser> {
  if (!CHROMIUM) throw new Error("there is no Chromium: install it first, as with apt install chromium");
  return chromium.launch({ executablePath: CHROMIUM, args: [...CHROMIUM_OPTIONS] });
}
