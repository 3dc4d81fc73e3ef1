// Texts from outside, made fit for a log: someone may have put a secret where it does not belong.

/** Letters and digits in a row, of which a secret has 36. No path of ours has as many; an int64 has 19. */
const LONG_RUN = /[0-9A-Za-z]{24,}/g;
/** More than the ids of common proxies have, unless those are hexadecimal. */
const SECRET_RUN = /[0-9A-Za-z]{28,}/g;
const HEXADECIMAL = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const PREFIXED = /ask_(?:test_)?[0-9A-Za-z]{20}/;

const ENCODED_ASCII = /%([0-7][0-9A-Fa-f])/g;
/** Encoding something twice is a mistake that happens; more often than this, it is meant to deceive. */
const DECODE_MAX_TIMES = 4;

/** Whether a name that was given to a request may be a secret, or most of one, with or without its prefix. */
export const mayHoldSecret = (name: string): boolean =>
  PREFIXED.test(name) || (name.match(SECRET_RUN) ?? []).some((run) => !HEXADECIMAL.test(run));

const URL_CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)[^\s'"]*@/gi;
const PASSWORD_PARAMETER = /(pass(?:word|wd)?|secret|token)=[^\s'"&]*/gi;

/** What was typed, without the passwords that addresses in it have. */
export const withoutPasswords = (text: string): string =>
  text.replace(URL_CREDENTIALS, "$1***@").replace(PASSWORD_PARAMETER, "$1=***");

/** A path without secrets, however they are percent-encoded. One that needs no change stays as it was written. */
export function withoutSecrets(path: string): string {
  const decoded = path.includes("%") ? fullyDecoded(path) : path;
  if (decoded === undefined) return "…";
  const redacted = redactRuns(decoded);
  return redacted === decoded ? redactRuns(path) : redacted;
}

const redactRuns = (text: string): string => text.replace(LONG_RUN, "…");

/** Only ASCII, which is all that a secret consists of. Undefined: encoded more times than is believable. */
function fullyDecoded(text: string): string | undefined {
  let decoded = text;
  for (let i = 0; i < DECODE_MAX_TIMES; i++) {
    const before = decoded;
    decoded = before.replace(ENCODED_ASCII, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (decoded === before) return decoded;
  }
  return undefined;
}
