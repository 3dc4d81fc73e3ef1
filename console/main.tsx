import { render } from "preact";
import { App } from "./App.tsx";
import { startClock } from "./clock.ts";
import { startRouter } from "./router.ts";
import { startSession } from "./session.ts";

startRouter();
startClock();
// Until the session is known, the page keeps its static content, which is painted before this script is loaded.
void startSession().then(() => {
  const root = document.getElementById("app") as HTMLElement;
  root.replaceChildren();
  render(<App />, root);
});
