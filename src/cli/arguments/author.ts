import { userName } from "../../base/system/system-user.ts";
import { mistakeInText } from "../../base/text/text.ts";
import type { Config } from "../../config.ts";
import { AUTHOR_MAX_CODE_POINTS, type Author } from "../../domain/journal.ts";

/** The author of a change that a command makes. */
export const authorOf = ({ OPERATOR }: Pick<Config, "OPERATOR">): Author => ({
  by: OPERATOR ?? systemUser(process.getuid?.() ?? 0, process.env),
  via: "command",
});

/** Names the person behind sudo or doas too: several may become the same user. */
export function systemUser(uid: number, env: Readonly<Record<string, string | undefined>>): string {
  const name = userName(uid);
  const user = name !== undefined && isName(name) ? name : `uid ${uid}`;
  const person = [env.SUDO_USER, env.DOAS_USER].find((each) => each !== undefined && isName(each));
  return person === undefined || person === user ? user : `${person} as ${user}`;
}

/** Half of what an author may have, because two names may be joined. */
const isName = (text: string): boolean => mistakeInText(text, AUTHOR_MAX_CODE_POINTS / 2 - " as ".length) === undefined;
