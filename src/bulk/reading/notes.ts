import { countOf } from "../../base/text/text.ts";

// The last line of a file of rejected lines says how many had no room in it. Whoever imports that file again, mended,
// need not remove it.

export const noteOnLeft = (left: number): string =>
  `# ${countOf(left, "more was rejected, for which", "more were rejected, for which")} there was no room here.`;

const NOTE = /^# [\d,]+ more (?:was|were) rejected, for which there was no room here\.\r?$/;
const NUMBER_SIGN = 0x23;

export const isNote = (text: string): boolean => text.charCodeAt(0) === NUMBER_SIGN && NOTE.test(text);
