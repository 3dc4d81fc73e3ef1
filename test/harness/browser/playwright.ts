import { type Browser, chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.ts";

/**
 * What every new context would start processes for, although nobody sees them in a test: the suggestions of the address
 * bar, and a spare one. This takes the place of Playwright's own list, so what of that keeps Chromium quiet is here too.
 */
const SWITCHED_OFF = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "SpareRendererForSitePerProcess",
  "AimEnabled",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
];

/** The installed Chromium, as cheap as it gets. */
export function launchChromium(): Promise<Browser> {
  if (!CHROMIUM) throw new Error("there is no Chromium: install it first, as with apt install chromium");
  const args = ["--no-sandbox", `--disable-features=${SWITCHED_OFF.join()}`];
  return chromium.launch({ executablePath: CHROMIUM, args });
}
