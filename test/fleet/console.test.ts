import { expect, test } from "bun:test";
import { databaseMaker } from "../harness/servers/postgres.ts";
import { ConsoleBrowser, newLink, signedIn } from "../harness/service/console.ts";
import { startService } from "../harness/service/service.ts";

const newDatabase = await databaseMaker();

test("two instances on one PostgreSQL share links and sessions, and signing out of one is signing out of both", async () => {
  const env = { DATABASE_URL: await newDatabase() };
  const [one, two] = [await startService({ env }), await startService({ env })];
  const token = await newLink(one);
  const browser = new ConsoleBrowser(two);
  expect((await browser.signIn(token)).status).toBe(204);
  expect((await new ConsoleBrowser(one).signIn(token)).status).toBe(401);
  const elsewhere = new ConsoleBrowser(one);
  elsewhere.cookie = browser.cookie;
  for (const each of [browser, elsewhere]) expect((await each.call("GET /session")).status).toBe(200);
  expect((await elsewhere.call("DELETE /session")).status).toBe(204);
  for (const each of [browser, elsewhere]) expect((await each.call("GET /session")).status).toBe(401);
  const [first, second] = [await signedIn(one), await signedIn(two)];
  await one.stop();
  expect((await second.call("GET /session")).status).toBe(200);
  const moved = new ConsoleBrowser(two);
  moved.cookie = first.cookie;
  expect((await moved.call("GET /session")).status).toBe(200);
});
