import type { Usage } from "../../domain/usage/usage.ts";

const PASSED = "█";
const REFUSED = "░";
/** Eighths of a character, for the end of a bar. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/**
 * A bar that is as long as the requests are many, of those that fill the room. What was refused or failed is its light
 * end. Where there is anything, something is shown.
 */
export function bar({ requests, refusedInAll, failed }: Usage, most: number, room: number): string {
  if (requests === 0 || most === 0 || room < 1) return "";
  const eighths = Math.max(1, Math.round((8 * room * requests) / most));
  const length = Math.max(1, Math.floor(eighths / 8));
  const bad = refusedInAll + failed;
  if (bad === 0) return PASSED.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
  const light = Math.min(length, Math.max(1, Math.round((length * bad) / requests)));
  return PASSED.repeat(length - light) + REFUSED.repeat(light);
}
