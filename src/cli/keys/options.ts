import { type Command, Option } from "commander";
import { systemClock } from "../../base/time/clock.ts";
import { READ_SCOPES, SCOPES } from "../../domain/keys/scope.ts";
import type { KeyEdit } from "../../keys/edit.ts";
import { parseExpiry, parsePlan, parseQuota, parseRotation, parseScopes } from "../arguments/options.ts";

/** The properties that a key gets when it is issued, and that can be changed later. */
export interface KeyOptions extends Omit<KeyEdit, "idOrName" | "expiresAtMs" | "mayRotate"> {
  readonly readOnly?: true;
  readonly rotation?: "on" | "off";
  readonly expires?: number | "never";
}

export const addKeyOptions = (command: Command, required: string): Command =>
  command
    .option("--name <name>", `whom or what the key is for${required}`)
    .option("--plan <plan>", `free, pro, business or enterprise${required}`, parsePlan)
    .option("--per-minute <requests>", "quota per minute (enterprise only)", parseQuota)
    .option("--per-day <requests>", "quota per day (enterprise only)", parseQuota)
    .addOption(
      new Option("--scopes <scopes>", `what the key may do: all, or some of ${SCOPES.join(",")}`)
        .argParser(parseScopes)
        .conflicts("readOnly"),
    )
    .option(
      "--rotation <on|off>",
      "whether the holder may rotate the key's own secret (POST /v1/key/rotate); off unless it is set",
      parseRotation,
    )
    .option("--read-only", `the same as --scopes ${READ_SCOPES.join(",")}`)
    .option(
      "--expires <when>",
      "a date such as 2027-01-31, through whose end (UTC) the key works, a time such as 2027-01-31T09:30Z, a span such as 30d, 12h or 90m, or never",
      (text) => parseExpiry(text, systemClock.nowMs()),
    );

/** The properties that the options give; the others are undefined. Commander would make null an empty text. */
export const wantedIn = ({ name, plan, perMinute, perDay, scopes, readOnly, rotation, expires }: KeyOptions) => ({
  name,
  plan,
  perMinute,
  perDay,
  scopes: readOnly ? READ_SCOPES : scopes,
  mayRotate: rotation === undefined ? undefined : rotation === "on",
  expiresAtMs: expires === "never" ? null : expires,
});
