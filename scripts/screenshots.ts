// Takes the screenshots of docs/console.md: runs the executable on a store with sample data, in a real Chromium.
// Run: npm run screenshots

import { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { AnimalStore } from "../client/src/index.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../src/base/time/clock.ts";
import { launchChromium } from "../test/harness/browser/playwright.ts";
import { cleanUp } from "../test/harness/cleanup.ts";
import { temporaryFolder } from "../test/harness/folder.ts";
import { Fleet } from "../test/harness/service/fleet.ts";

const OUT = join(import.meta.dir, "../docs/console");
const WIDTHS = {
  wide: { width: 1280, height: 1000 },
  tablet: { width: 820, height: 1180 },
  phone: { width: 360, height: 780 },
};
const SCHEMES = ["light", "dark"] as const;

/** A seeded generator, so that the sample data is the same each time. */
let seed = 7;
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}
const anyOf = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;

const CATEGORIES = ["Dogs", "Cats", "Parrots", "Rabbits", "Guinea pigs", "Tortoises", "Canaries", "Goldfish"];
const NAMES = "Rex Luna Milo Nala Balu Frieda Coco Emil Lotte Otto Paula Bruno Kiki Momo Finn Ella Hugo Lilly Max Zoë";
const ANIMALS = 3_200;
const ORDERS = 26;
const REFERENCES = ["Web 10482", "Leipzig, counter 2", "Phone, Mrs Wagner", "Web 10490", null];

/** The keys, with their load in requests per minute at noon. */
const KEYS = [
  { name: "Storefront", plan: "business", scopes: "pets:read", busy: 420 },
  { name: "Price import", plan: "pro", busy: 96 },
  { name: "Front desk, Leipzig", plan: "pro", busy: 31 },
  { name: "Vet practice", plan: "pro", scopes: "pets:read,orders:read", busy: 9, expires: "9d" },
  { name: "Trainee", plan: "free", scopes: "pets:read", busy: 0 },
  { name: "Old website", plan: "free", scopes: "pets:read", busy: 0 },
] as const;

const path = join(temporaryFolder(), "animal-store.db");
const query = async (_: unknown, statement: string): Promise<unknown[]> => {
  const db = new Database(path);
  try {
    return db.query(statement).all();
  } finally {
    db.close();
  }
};

async function fill(fleet: Fleet): Promise<Record<string, string>> {
  const names = NAMES.split(" ");
  const rows = Array.from({ length: ANIMALS }, () => {
    const category = Math.floor(random() ** 2 * CATEGORIES.length) + 1;
    return `${anyOf(names)},${category},${random() < 0.3 ? "sold" : "available"}`;
  });
  const file = join(temporaryFolder(), "spring-stock.csv");
  writeFileSync(file, ["name,categoryId,status", ...rows, ""].join("\n"));
  await fleet.run("animals", "import", file);
  const ids: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const { name, plan, ...more } of KEYS) {
    const scopes = "scopes" in more ? ["--scopes", more.scopes] : [];
    const expires = "expires" in more ? ["--expires", more.expires] : [];
    const { id, secret } = await fleet.issueKey(name, "--plan", plan, ...scopes, ...expires);
    ids[name] = id;
    secrets[name] = secret;
  }
  const desk = new AnimalStore({ baseUrl: `${fleet.origins[0]}/v1`, apiKey: secrets["Front desk, Leipzig"] as string });
  for (const [i, name] of CATEGORIES.entries()) await desk.categories.put(i + 1, { name });
  let count = 0;
  for await (const { id } of desk.pets.list({ status: "available", sort: "-id" })) {
    const reference = REFERENCES[count % REFERENCES.length];
    const order = await desk.orders.place({ petId: id, ...(reference ? { reference } : {}) });
    const step = count++ % 5;
    if (step >= 2) await desk.orders[step === 3 ? "cancel" : "approve"](order.id);
    if (step === 4) await desk.orders.deliver(order.id);
    if (count === ORDERS) break;
  }
  await beBanned(fleet, secrets["Price import"] as string);
  await fleet.run("keys", "suspend", ids.Trainee as string);
  await fleet.run("keys", "revoke", ids["Old website"] as string, "--yes");
  await fleet.run("keys", "rotate", ids["Price import"] as string, "--overlap", "24h");
  return ids;
}

/** Gets the key banned, by sending requests in spite of 429. */
async function beBanned(fleet: Fleet, secret: string): Promise<void> {
  const code = async (): Promise<string | undefined> => (await fleet.call("GET /pets", { secret })).body.code;
  while ((await code()) !== "key_banned") await Promise.all(Array.from({ length: 50 }, code));
}

/** The relative load at a time: lower at night and at weekends, with some noise. */
function load(atMs: number): number {
  const hour = (atMs / HOUR_MS) % 24;
  const isWeekend = [0, 6].includes(new Date(atMs).getUTCDay());
  const day = 0.55 + 0.45 * Math.sin(((hour - 7) / 24) * 2 * Math.PI);
  return day * (isWeekend ? 0.6 : 1) * (0.85 + 0.3 * random());
}

/** Writes a month of usage into the database. */
async function backdate(ids: Readonly<Record<string, string>>): Promise<void> {
  const nowMs = Date.now();
  const db = new Database(path);
  const add = (table: string, row: Readonly<Record<string, number | string>>): void => {
    const columns = Object.keys(row);
    db.query(
      `INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ).run(...Object.values(row));
  };
  /** Some of the requests take longer, at times. */
  const counts = (passed: number, refused: number) => {
    const slow = passed * 0.08 * random() ** 3;
    return {
      passed,
      client_error: Math.round(passed * 0.03),
      minute_quota: refused,
      ms_0_5: Math.round(passed * 0.42),
      ms_1: Math.round(passed * 0.44),
      ms_2_5: Math.round(passed * 0.13),
      ms_5: Math.round(slow),
      ms_10: Math.round(slow / 6),
    };
  };
  const grains = [
    ["minute", MINUTE_MS, 2 * 61],
    ["hour", HOUR_MS, 24 * 61],
    ["day", DAY_MS, 31],
  ] as const;
  db.transaction(() => {
    for (const [grain, lengthMs, count] of grains)
      for (let i = 0; i < count; i++) {
        const startedAt = (Math.floor(nowMs / lengthMs) - i) * lengthMs;
        const inAll = { passed: 0, refused: 0 };
        for (const { name, busy } of KEYS) {
          if (busy === 0) continue;
          const passed = Math.round((busy * lengthMs * (grain === "day" ? 0.5 : load(startedAt))) / MINUTE_MS);
          const isTooBusy = name === "Price import" && grain === "minute" && i > 14 && i < 20;
          const refused = isTooBusy ? Math.round(50 + 40 * random()) : 0;
          inAll.passed += passed;
          inAll.refused += refused;
          add(`key_usage_${grain}s`, {
            started_at: startedAt,
            key_id: ids[name] as string,
            ...counts(passed, refused),
          });
        }
        if (grain !== "day") add(`usage_${grain}s`, { started_at: startedAt, ...counts(inAll.passed, inAll.refused) });
      }
    for (const [name, used] of Object.entries({
      Storefront: 31_044,
      "Price import": 9_600,
      "Front desk, Leipzig": 1_204,
    }))
      db.query(
        `INSERT INTO tallies VALUES (?1, 0, 0, ?2, ?3, 0, 0, 0, 0, 0)
         ON CONFLICT (key_id) DO UPDATE SET day_opened_at = ?2, day_used = ?3`,
      ).run(ids[name] as string, nowMs - 9 * HOUR_MS, used);
    // A third ban in a row lasts longer than taking the screenshots.
    db.query("UPDATE tallies SET bans_in_a_row = 3, banned_until = ? WHERE bans_in_a_row > 0").run(
      nowMs + 30 * MINUTE_MS,
    );
    for (const [name, agoMs] of Object.entries({
      Storefront: 0,
      "Front desk, Leipzig": 4 * MINUTE_MS,
      "Vet practice": HOUR_MS,
      Trainee: 4 * DAY_MS,
      "Old website": 44 * DAY_MS,
    }))
      db.query("UPDATE keys SET last_used_at = ?, created_at = ? WHERE id = ?").run(
        nowMs - agoMs,
        nowMs - 90 * DAY_MS,
        ids[name] as string,
      );
  })();
  db.close();
}

async function take(browser: Browser, fleet: Fleet, ids: Readonly<Record<string, string>>): Promise<void> {
  const shots = {
    overview: "",
    keys: "/keys",
    key: `/keys/${ids["Price import"]}?span=hour`,
    animals: "/animals",
    import: "/animals/import",
    orders: "/orders",
    journal: "/journal",
  };
  for (const scheme of SCHEMES)
    for (const [size, viewport] of Object.entries(WIDTHS)) {
      const context = await browser.newContext({
        viewport,
        colorScheme: scheme,
        reducedMotion: "reduce",
        locale: "en-GB",
        timezoneId: "Europe/Berlin",
      });
      const page = await context.newPage();
      await hidePlace(page);
      await page.goto(await fleet.link("Front desk"));
      // The overview lists an instance once it has written its first heartbeat.
      await page.getByText("store-1").waitFor({ state: "attached" });
      for (const [name, address] of Object.entries(shots)) {
        await page.goto(`${fleet.origins[0]}/console${address}`);
        await page.waitForLoadState("networkidle");
        if (name === "import" && scheme === "light" && size === "wide") await tryFile(page);
        writeFileSync(join(OUT, `${name}-${size}-${scheme}.webp`), await asWebp(browser, await page.screenshot()));
      }
      await context.close();
    }
}

/** Replaces the host and path of the machine by neutral ones. */
const hidePlace = (page: Page): Promise<unknown> =>
  page.route("**/console/api/overview*", async (route) => {
    const response = await route.fetch();
    const view = await response.json();
    const instances = view.instances.map((instance: object) => ({ ...instance, host: "store-1" }));
    const store = { ...view.store, place: "/var/lib/animal-store/animal-store.db" };
    await route.fulfill({ response, json: { ...view, instances, store } });
  });

/** Converts a PNG to WebP in Chromium, which halves its size. */
async function asWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const url = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png.toString("base64")}";
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.8);
  })()`);
  await page.close();
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

/** Makes a dry run with invalid lines, which the import page then shows to every user. */
async function tryFile(page: Page): Promise<void> {
  const content = `name,categoryId,status\nMira,1,available\nNo category,,available\nTaro,2,sold\n<b>Bold</b>,3,gone\n`;
  const file = { name: "autumn-stock.csv", mimeType: "text/csv", buffer: Buffer.from(content) };
  await page.getByLabel("File to import").setInputFiles(file);
  await page.getByText("would be added").waitFor();
}

mkdirSync(OUT, { recursive: true });
const browser = await launchChromium();
try {
  const storage = { DATABASE_URL: `sqlite:${path}` };
  const fleet = await Fleet.start({ newStorage: async () => storage, query }, { OPERATOR: "Anna" });
  const ids = await fill(fleet);
  await fleet.stop();
  await backdate(ids);
  await fleet.restart();
  await take(browser, fleet, ids);
} finally {
  await browser.close();
  await cleanUp();
}
