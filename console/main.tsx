import { render } from "preact";
import { App } from "./App.tsx";
import { startClock } from "./clock.ts";
import { startRouter } from "./router.ts";
import { startSession } from "./session.ts";

startRouter();
startClock();
// Until it is known who is signed in, the page shows what it was sent with: that is painted before this script is read.
void startSession().then(() => {
  const root = document.getElementById("app") as HTMLElement;
  root.replaceChildren();
  render(<App />, root);
});
