import { type Browser, chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.ts";

/**
 * Features for which every new context would start processes that no test needs: suggestions of the address bar, and a
 * spare renderer. This replaces Playwright's own list, so the parts of it that keep Chromium quiet are here, too.
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

/** Launches the installed Chromium with as few processes as possible. */
export function launchChromium(): Promise<Browser> {
  if (!CHROMIUM) throw new Error("there is no Chromium: install it first, as with apt install chromium");
  // One renderer a context: a process for every site and navigation would cost more than the pages.
  const args = [
    "--no-sandbox",
    "--disable-site-isolation-trials",
    "--renderer-process-limit=1",
    `--disable-features=${SWITCHED_OFF.join()}`,
  ];
  return chromium.launch({ executablePath: CHROMIUM, args });
}
