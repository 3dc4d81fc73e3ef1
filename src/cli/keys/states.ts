import type { Command } from "commander";
import { done, type Result } from "../../base/result.ts";
import type { Key } from "../../domain/keys/key.ts";
import { DELETABLE_AFTER_MS, deleteKey } from "../../keys/delete.ts";
import type { FindRefusal } from "../../keys/queries/find.ts";
import { revokeKey } from "../../keys/revoke.ts";
import { resumeKey, suspendKey } from "../../keys/suspend.ts";
import { unbanKey } from "../../keys/unban.ts";
import type { WordedRefusal } from "../../keys/wording.ts";
import { type KeyContext, withKeys } from "../arguments/context.ts";
import { JSON_OPTION, type JsonOption } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import { formatDuration, formatTime, note, print, printJson } from "../terminal/print.ts";
import { failForKey } from "./refusals.ts";
import { jsonOfKey } from "./views.ts";

// The commands that decide whether a key works.

interface Change<Changed extends { readonly key: Key }> {
  readonly description: string;
  readonly run: (context: KeyContext, idOrName: string) => Promise<Result<Changed, FindRefusal | WordedRefusal>>;
  readonly sentence: (changed: Changed) => string;
}

/** Adds a command that changes a key and says so or, for scripts, shows the key as it is then. */
function addChange<Changed extends { readonly key: Key }>(keys: Command, name: string, change: Change<Changed>): void {
  keys
    .command(`${name} <id>`)
    .description(change.description)
    .option(...JSON_OPTION)
    .action((idOrName: string, { json }: JsonOption) =>
      withKeys(async (context) => {
        const changed = await change.run(context, idOrName);
        if (changed.kind === "refused") return failForKey(changed.reason, idOrName);
        if (json) printJson(jsonOfKey(changed.value.key, context.clock.nowMs()));
        else print(change.sentence(changed.value));
      }),
    );
}

export const addSuspend = (keys: Command): void =>
  addChange(keys, "suspend", {
    description: "Make a key stop working until it is resumed.",
    run: suspendKey,
    sentence: ({ key: { id, suspendedAtMs }, wasSuspended }) =>
      wasSuspended
        ? `Key ${id} was already suspended, at ${formatTime(suspendedAtMs)}.`
        : `Key ${id} has been suspended. To undo it: ${ownCommand(`keys resume ${id}`)}`,
  });

export const addResume = (keys: Command): void =>
  addChange(keys, "resume", {
    description: "Make a suspended key work again.",
    run: resumeKey,
    sentence: ({ key: { id }, wasSuspended }) =>
      wasSuspended ? `Key ${id} works again.` : `Key ${id} was not suspended.`,
  });

export const addUnban = (keys: Command): void =>
  addChange(keys, "unban", {
    description: "Lift a key's ban. Its next ban will be as short as a first one.",
    run: unbanKey,
    sentence: ({ key: { id }, wasBanned }) =>
      wasBanned ? `Key ${id} is no longer banned.` : `Key ${id} was not banned.`,
  });

export const addRevoke = (keys: Command): void =>
  addChange(keys, "revoke", {
    description: "Revoke a key permanently. It stays listed until it is deleted.",
    run: revokeKey,
    sentence: ({ key: { id, revokedAtMs }, wasRevoked }) =>
      wasRevoked ? `Key ${id} was already revoked, at ${formatTime(revokedAtMs)}.` : `Key ${id} has been revoked.`,
  });

export const addDelete = (keys: Command): void =>
  addChange(keys, "delete", {
    description: `Delete a revoked key and everything that is kept about it, at the earliest ${formatDuration(DELETABLE_AFTER_MS)} after it was revoked. This cannot be undone.`,
    async run(context, idOrName) {
      const onWait = (ms: number): void =>
        note(`Waiting ${formatDuration(Math.ceil(ms / 1000) * 1000)}: requests with the key may still be in progress.`);
      const deleted = await deleteKey({ ...context, sleep: Bun.sleep, onWait }, idOrName);
      return deleted.kind === "refused" ? deleted : done({ key: deleted.value });
    },
    sentence: ({ key: { id } }) => `Key ${id} has been deleted, which cannot be undone.`,
  });
