import { expect, test } from "bun:test";
import { FakeClock } from "../../../test/harness/time/clock.ts";
import { done } from "../../base/result.ts";
import type { Key } from "../../domain/keys/key.ts";
import type { KeyStore } from "../../store/ports/store.ts";
import { KnownKeys } from "./known-keys.ts";

/** Keys that are read by hand, and how often that was begun. */
function keysRead() {
  const clock = new FakeClock();
  const readings: PromiseWithResolvers<readonly Key[]>[] = [];
  let revision = 1;
  const listSome = () => {
    const reading = Promise.withResolvers<readonly Key[]>();
    readings.push(reading);
    return reading.promise;
  };
  const keys = { revision: async () => revision, listSome } as unknown as KeyStore;
  const known = new KnownKeys({ keys, counters: async () => done(async () => new Map()), clock, onFailure() {} });
  const change = () => {
    revision++;
  };
  return { known, readings, change, clock };
}

const KEY = { id: "key_1", createdAtMs: 0 } as Key;
const turn = () => new Promise(setImmediate);

test("those who ask at once wait for one reading, and whoever asks after a change for another", async () => {
  const { known, readings, change } = keysRead();
  const first = [known.list(), known.list(), known.list()];
  await turn();
  expect(readings).toHaveLength(1);
  change();
  const later = known.list();
  await turn();
  expect(readings).toHaveLength(2);
  readings[1]?.resolve([KEY]);
  expect(await later).toEqual([KEY]);
  readings[0]?.resolve([]);
  expect(await Promise.all(first)).toEqual([[], [], []]);
});

test("a reading that fails fails for all who wait for it, and the next one begins anew", async () => {
  const { known, readings } = keysRead();
  const waiting = [known.list(), known.list()].map((list) => list.catch((error: Error) => error.message));
  await turn();
  readings[0]?.reject(new Error("no answer"));
  expect(await Promise.all(waiting)).toEqual(["no answer", "no answer"]);
  const next = known.list();
  await turn();
  readings[1]?.resolve([KEY]);
  expect(await next).toEqual([KEY]);
  expect(await known.list()).toEqual([KEY]);
  expect(readings).toHaveLength(2);
});
