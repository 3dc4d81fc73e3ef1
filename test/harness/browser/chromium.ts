/** The executable of the browser, if one is installed. */
export const CHROMIUM = ["chromium", "chromium-browser", "google-chrome"].map((name) => Bun.which(name)).find(Boolean);

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

/** One renderer a context: a process for every site and navigation would cost more than the pages. */
export const CHROMIUM_OPTIONS: readonly string[] = [
  "--no-sandbox",
  "--disable-site-isolation-trials",
  "--renderer-process-limit=1",
  `--disable-features=${SWITCHED_OFF.join()}`,
];
