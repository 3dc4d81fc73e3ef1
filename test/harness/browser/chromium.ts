/** The executable of the browser, if one is installed. */
export const CHROMIUM = ["chromium", "chromium-browser", "google-chrome"].map((name) => Bun.which(name)).find(Boolean);
