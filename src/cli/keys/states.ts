import type { Command } from "commander";
import type { Key } from "../../domain/keys/key.ts";
import { DELETABLE_AFTER_MS, deleteKey } from "../../keys/delete.ts";
import { revokeKey } from "../../keys/revoke.ts";
import { resumeKey, suspendKey } from "../../keys/suspend.ts";
import { unbanKey } from "../../keys/unban.ts";
import { type KeyContext, withKeys } from "../arguments/context.ts";
import { JSON_OPTION, type JsonOption } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import { formatDuration, formatTime, note, print, printJson } from "../terminal/print.ts";
import { failForKey } from "./refusals.ts";
import { jsonOfKey } from "./views.ts";

// The commands that make a key work, or not.

interface Changed {
  readonly key: Key;
  readonly sentence: string;
}

/** A command that changes a key and says so or, for scripts, shows the key as it is then. */
function addChange(
  keys: Command,
  name: string,
  description: string,
  change: (context: KeyContext, idOrName: string) => Promise<Changed>,
): void {
  keys
    .command(`${name} <id>`)
    .description(description)
    .option(...JSON_OPTION)
    .action((idOrName: string, { json }: JsonOption) =>
      withKeys(async (context) => {
        const { key, sentence } = await change(context, idOrName);
        if (json) printJson(jsonOfKey(key, context.clock.nowMs()));
        else print(sentence);
      }),
    );
}

export const addSuspend = (keys: Command): void =>
  addChange(keys, "suspend", "Make a key stop working until it is resumed.", async (context, idOrName) => {
    const suspended = await suspendKey(context, idOrName);
    if (suspended.kind === "refused") return failForKey(suspended.reason, idOrName);
    const { key, wasSuspended } = suspended.value;
    const sentence = wasSuspended
      ? `Key ${key.id} was already suspended, at ${formatTime(key.suspendedAtMs)}.`
      : `Key ${key.id} has been suspended. To undo it: ${ownCommand(`keys resume ${key.id}`)}`;
    return { key, sentence };
  });

export const addResume = (keys: Command): void =>
  addChange(keys, "resume", "Make a suspended key work again.", async (context, idOrName) => {
    const resumed = await resumeKey(context, idOrName);
    if (resumed.kind === "refused") return failForKey(resumed.reason, idOrName);
    const { key, wasSuspended } = resumed.value;
    const sentence = wasSuspended ? `Key ${key.id} works again.` : `Key ${key.id} was not suspended.`;
    return { key, sentence };
  });

export const addUnban = (keys: Command): void =>
  addChange(
    keys,
    "unban",
    "Lift a key's ban. Its next ban will be as short as a first one.",
    async (context, idOrName) => {
      const unbanned = await unbanKey(context, idOrName);
      if (unbanned.kind === "refused") return failForKey(unbanned.reason, idOrName);
      const { key, wasBanned } = unbanned.value;
      const sentence = wasBanned ? `Key ${key.id} is no longer banned.` : `Key ${key.id} was not banned.`;
      return { key, sentence };
    },
  );

export const addRevoke = (keys: Command): void =>
  addChange(
    keys,
    "revoke",
    "Revoke a key permanently. It stays listed until it is deleted.",
    async (context, idOrName) => {
      const revoked = await revokeKey(context, idOrName);
      if (revoked.kind === "refused") return failForKey(revoked.reason, idOrName);
      const { key, wasRevoked } = revoked.value;
      const sentence = wasRevoked
        ? `Key ${key.id} was already revoked, at ${formatTime(key.revokedAtMs)}.`
        : `Key ${key.id} has been revoked.`;
      return { key, sentence };
    },
  );

const DELETE_HELP = `Delete a revoked key and everything that is kept about it, at the earliest ${formatDuration(DELETABLE_AFTER_MS)} after it was revoked. This cannot be undone.`;

export const addDelete = (keys: Command): void =>
  addChange(keys, "delete", DELETE_HELP, async (context, idOrName) => {
    const onWait = (ms: number): void =>
      note(`Waiting ${formatDuration(Math.ceil(ms / 1000) * 1000)}: requests with the key may still be in progress.`);
    const deleted = await deleteKey({ ...context, sleep: Bun.sleep, onWait }, idOrName);
    if (deleted.kind === "refused") return failForKey(deleted.reason, idOrName);
    const key = deleted.value;
    return { key, sentence: `Key ${key.id} has been deleted, which cannot be undone.` };
  });
