import type { Usage } from "../../domain/usage/usage.ts";

const PASSED = "█";
const NOT_PASSED = "░";
/** Eighths of a character, for the end of a bar. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/**
 * A bar in proportion to the requests, where `most` fill the room. Its light end is those that did not pass.
 * A few requests show at least a sliver.
 */
export function bar({ requests, passed }: Usage, most: number, room: number): string {
  if (requests === 0 || most === 0 || room < 1) return "";
  const eighths = Math.max(1, Math.round((8 * room * requests) / most));
  const length = Math.max(1, Math.floor(eighths / 8));
  const bad = requests - passed;
  if (bad === 0) return PASSED.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
  const light = Math.min(length, Math.max(1, Math.round((length * bad) / requests)));
  return PASSED.repeat(length - light) + NOT_PASSED.repeat(light);
}
