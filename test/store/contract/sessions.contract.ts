import { describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../../src/base/time/clock.ts";
import { LINK_LASTS_MS, SESSION_LASTS_MS } from "../../../src/domain/console-session.ts";
import type { JournalEntry } from "../../../src/domain/journal.ts";
import type { ConsoleSignIn, NewConsoleLink, Store } from "../../../src/store/ports/store.ts";

const NOW = Date.parse("2027-03-01T12:00:00Z");
const ANNA = { by: "Anna 🐾", via: "command", atMs: NOW } as const;
const NAME = "Front desk <b>'\"\\ 日本 ‏";

const link = (digest: string, change: Partial<NewConsoleLink> = {}): NewConsoleLink => ({
  ...ANNA,
  digest,
  name: NAME,
  role: "operator",
  expiresAtMs: NOW + LINK_LASTS_MS,
  ...change,
});

const signIn = (linkDigest: string, digest: string, atMs = NOW): ConsoleSignIn => ({
  linkDigest,
  atMs,
  digest,
  expiresAtMs: atMs + SESSION_LASTS_MS,
});

const journalOf = async ({ journal }: Store): Promise<readonly JournalEntry[]> =>
  (await journal.list({ size: 1_000 })).rows;

/** The contract of links and sessions, which every adapter runs. `open` opens a new store twice, as two threads or instances do. */
export function sessionsContract(name: string, open: () => Promise<readonly [Store, Store]>): void {
  describe(`${name}: the contract of sessions`, () => {
    test("a link is exchanged for a session, which every thread and instance knows", async () => {
      const [store, other] = await open();
      await store.sessions.makeLink(link("l", { role: "clerk" }));
      const session = { name: NAME, role: "clerk", expiresAtMs: NOW + SESSION_LASTS_MS } as const;
      expect(await other.sessions.signIn(signIn("l", "s"))).toEqual(session);
      for (const each of [store, other]) expect(await each.sessions.get("s")).toEqual(session);
      const beforeItsEnd = { nowMs: session.expiresAtMs - 1 };
      for (const each of [store, other]) expect(await each.sessions.digests(beforeItsEnd)).toEqual(["s"]);
      expect(await store.sessions.digests({ nowMs: session.expiresAtMs })).toEqual([]);
      expect(await store.sessions.get("l")).toBeUndefined();
      expect(await store.sessions.get("unknown")).toBeUndefined();
      await Promise.all([store.close(), other.close()]);
    });

    test("a link works once, also for those who use it at once", async () => {
      const [store, other] = await open();
      await store.sessions.makeLink(link("l"));
      const attempts = Array.from({ length: 12 }, (_, i) =>
        (i % 2 === 0 ? store : other).sessions.signIn(signIn("l", `s${i}`)),
      );
      const sessions = (await Promise.all(attempts)).filter((session) => session !== undefined);
      expect(sessions).toHaveLength(1);
      const found = await Promise.all(attempts.map((_, i) => store.sessions.get(`s${i}`)));
      expect(found.filter((session) => session !== undefined)).toHaveLength(1);
      expect(await store.sessions.signIn(signIn("l", "late"))).toBeUndefined();
      await Promise.all([store.close(), other.close()]);
    });

    test("a link that has expired works no more, to the millisecond, and is not used up by an attempt", async () => {
      const [store, other] = await open();
      await store.sessions.makeLink(link("l"));
      expect(await store.sessions.signIn(signIn("l", "s", NOW + LINK_LASTS_MS))).toBeUndefined();
      expect(await store.sessions.signIn(signIn("l", "s", NOW + LINK_LASTS_MS - 1))).toBeDefined();
      await Promise.all([store.close(), other.close()]);
    });

    test("a session is prolonged, never shortened, and one that has ended stays so", async () => {
      const [store, other] = await open();
      await store.sessions.makeLink(link("l"));
      await store.sessions.signIn(signIn("l", "s"));
      await store.sessions.prolong({ digest: "s", expiresAtMs: NOW + 2 * SESSION_LASTS_MS });
      await other.sessions.prolong({ digest: "s", expiresAtMs: NOW + SESSION_LASTS_MS + 1 });
      expect((await other.sessions.get("s"))?.expiresAtMs).toBe(NOW + 2 * SESSION_LASTS_MS);
      await store.sessions.signOut({ digest: "s" });
      await store.sessions.prolong({ digest: "s", expiresAtMs: NOW + 3 * SESSION_LASTS_MS });
      expect(await other.sessions.get("s")).toBeUndefined();
      await Promise.all([store.close(), other.close()]);
    });

    test("one signs out alone; all are signed out together, with the links that nobody has used", async () => {
      const [store, other] = await open();
      for (const each of ["a", "b", "c", "unused"]) await store.sessions.makeLink(link(`link ${each}`));
      for (const each of ["a", "b", "c"]) await store.sessions.signIn(signIn(`link ${each}`, each));
      await other.sessions.signOut({ digest: "a" });
      expect(await store.sessions.get("a")).toBeUndefined();
      expect(await store.sessions.get("b")).toBeDefined();
      expect(await other.sessions.signOutAll(ANNA)).toBe(2);
      for (const each of ["b", "c"]) expect(await store.sessions.get(each)).toBeUndefined();
      expect(await store.sessions.signIn(signIn("link unused", "d"))).toBeUndefined();
      expect(await other.sessions.signOutAll(ANNA)).toBe(0);
      await Promise.all([store.close(), other.close()]);
    });

    test("one person is signed out everywhere by the name of their links, which nobody else has", async () => {
      const [store, other] = await open();
      for (const [each, name] of [
        ["a", NAME],
        ["b", NAME],
        ["c", NAME.toUpperCase()],
        ["d", `${NAME} `],
      ] as const) {
        await store.sessions.makeLink(link(`link ${each}`, { name, role: "viewer" }));
        if (each !== "b") await other.sessions.signIn(signIn(`link ${each}`, each));
      }
      expect(await other.sessions.signOutOf({ name: NAME, author: ANNA })).toEqual({ sessions: 1, links: 1 });
      expect(await store.sessions.get("a")).toBeUndefined();
      expect(await store.sessions.signIn(signIn("link b", "b"))).toBeUndefined();
      for (const each of ["c", "d"]) expect(await store.sessions.get(each)).toMatchObject({ role: "viewer" });
      expect(await store.sessions.signOutOf({ name: NAME, author: ANNA })).toEqual({ sessions: 0, links: 0 });
      const signOuts = (await journalOf(store)).filter(({ action }) => action === "console sign-out");
      expect(signOuts).toMatchObject([{ ...ANNA, after: { for: NAME, sessionsEnded: 1, linksEnded: 1 } }]);
      await Promise.all([store.close(), other.close()]);
    });

    test("the journal says who made a link for whom, who signed in, and who signed all out, and has no digest", async () => {
      const [store, other] = await open();
      await store.sessions.makeLink(link("digest of a link"));
      await store.sessions.signIn(signIn("digest of a link", "digest of a session"));
      await store.sessions.signOut({ digest: "digest of a session" });
      await other.sessions.signOutAll({ by: "Bert", via: "console", atMs: NOW + 1 });
      const entries = await journalOf(store);
      const linkWorksUntil = new Date(NOW + LINK_LASTS_MS).toISOString();
      expect(entries).toMatchObject([
        {
          ...ANNA,
          action: "console",
          subject: { kind: "store" },
          after: { for: NAME, role: "operator", linkWorksUntil },
        },
        {
          by: NAME,
          via: "console",
          role: "operator",
          atMs: NOW,
          action: "console sign-in",
          subject: { kind: "store" },
        },
        { by: "Bert", via: "console", atMs: NOW + 1, action: "console sign-out", after: { sessionsEnded: 0 } },
      ]);
      expect(JSON.stringify(entries.map(({ after }) => after))).not.toContain("digest");
      await Promise.all([store.close(), other.close()]);
    });

    test("a link whose digest is there already is refused, and leaves no entry", async () => {
      const [store, other] = await open();
      await store.sessions.makeLink(link("l"));
      const failure = await other.sessions.makeLink(link("l")).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      expect(await journalOf(store)).toHaveLength(1);
      await Promise.all([store.close(), other.close()]);
    });

    test("what has expired is swept, and nothing else", async () => {
      const [store, other] = await open();
      for (const each of ["a", "b"]) await store.sessions.makeLink(link(`link ${each}`));
      await store.sessions.makeLink(link("later", { expiresAtMs: NOW + LINK_LASTS_MS + 1 }));
      for (const each of ["a", "b"]) await store.sessions.signIn(signIn(`link ${each}`, each));
      await store.sessions.prolong({ digest: "b", expiresAtMs: NOW + SESSION_LASTS_MS + MINUTE_MS });
      await store.sessions.makeLink(link("sooner"));
      await store.maintenance.sweepSessions({ nowMs: NOW + LINK_LASTS_MS });
      expect(await store.sessions.signIn(signIn("sooner", "c"))).toBeUndefined();
      expect(await store.sessions.signIn(signIn("later", "d"))).toBeDefined();
      expect(await store.sessions.get("a")).toBeDefined();
      await other.maintenance.sweepSessions({ nowMs: NOW + SESSION_LASTS_MS });
      expect(await store.sessions.get("a")).toBeUndefined();
      expect(await store.sessions.get("b")).toBeDefined();
      await Promise.all([store.close(), other.close()]);
    });
  });
}
