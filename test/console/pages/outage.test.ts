import { describe, expect, test } from "bun:test";
import { BROWSER_TEST_MS, CHROMIUM, openBrowser } from "../../harness/browser/desk.ts";
import { setUp } from "../../harness/cleanup.ts";
import { TestPostgres, withSql } from "../../harness/servers/postgres.ts";
import { hasRedis, TestRedis } from "../../harness/servers/redis.ts";
import { Fleet } from "../../harness/service/fleet.ts";
import { newSqliteStorage } from "../../harness/service/service.ts";
import { sqlite } from "../../harness/service/stores.ts";

// The console during outages, in a real browser, against the executable.

const withDesk = openBrowser();

describe.skipIf(!CHROMIUM)("the console", () => {
  let postgres: TestPostgres;
  let fleet: Fleet;
  setUp(async () => {
    postgres = await TestPostgres.start({ isVolatile: true });
    const DATABASE_URL = postgres.url;
    fleet = await Fleet.start({
      newStorage: async () => ({ ...newSqliteStorage(), DATABASE_URL }),
      query: (_, statement) => withSql(DATABASE_URL, async (sql) => [...(await sql.unsafe(statement))]),
    });
  }, BROWSER_TEST_MS);

  test(
    "says in a sentence that the database or the service does not answer, and goes on when it does",
    () =>
      withDesk(
        fleet,
        async (desk) => {
          const { page } = desk;
          desk.expects(/^50\d GET/, /^net::ERR_CONNECTION_REFUSED/);
          await desk.visit("/keys");
          await desk.sees("Issue the first with the button above");
          await postgres.stop();
          await desk.seesLater(page.getByText("The database does not answer at the moment"));
          // Known data stays, with a notice that it may be out of date.
          await desk.heading("No keys yet").waitFor();
          await page.reload();
          await desk.heading("Service unreachable").waitFor();
          await postgres.start();
          await desk.button("Try again").click();
          await desk.heading("No keys yet").waitFor();
          await fleet.stop();
          await desk.seesLater(page.getByText("The service is not responding. Is it running?"));
          await fleet.restart();
          await desk.follow("/orders");
          await desk.seesLater(page.getByText("New orders appear here."));
          expect(await page.getByText("The service is not responding").count()).toBe(0);
        },
        { hasClock: true },
      ),
    BROWSER_TEST_MS,
  );

  test.skipIf(!hasRedis)(
    "says on top of its overview that Redis is away, what that means and what to do, and on the keys what is not known",
    async () => {
      const redis = await TestRedis.start();
      const counting = await Fleet.start({
        ...sqlite,
        newStorage: async () => ({ ...newSqliteStorage(), REDIS_URL: redis.url }),
      });
      await counting.issueKey("Storefront", "--plan", "pro");
      await redis.stop();
      await withDesk(
        counting,
        async (desk) => {
          const { page } = desk;
          await desk.seesLater(page.getByText("Used quotas and bans cannot be shown."));
          await desk.sees("They are counted in Redis, which does not answer the console.");
          await desk.sees("What to do");
          await desk.go("Keys");
          await desk.row("Storefront").filter({ hasText: "unknown" }).waitFor();
          await desk.sees("Bans and quotas are unknown.");
          await desk.row("Storefront").getByRole("link").click();
          await desk.fact("Bans").filter({ hasText: "unknown: Redis, which counts them" }).waitFor();
        },
        { hasClock: true },
      );
    },
    BROWSER_TEST_MS,
  );
});
