// Redacts texts from outside for a log: somebody may have put a secret where it does not belong.

/** A run of letters and digits: a secret has 36, an int64 19, and no path of ours as many as this. */
const LONG_RUN = /[0-9A-Za-z]{24,}/g;
/** A run longer than in the request ids of common proxies, except hexadecimal ones. */
const SECRET_RUN = /[0-9A-Za-z]{28,}/g;
const HEXADECIMAL = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const PREFIXED = /ask_(?:test_)?[0-9A-Za-z]{20}/;

const ENCODED_ASCII = /%([0-7][0-9A-Fa-f])/g;
/** Encoding something twice is a common mistake; more often than this, it is meant to deceive. */
const DECODE_MAX_TIMES = 4;

/** Tells whether a request id from outside may be a secret, or most of one, with or without its prefix. */
export const mayHoldSecret = (name: string): boolean =>
  PREFIXED.test(name) || (name.match(SECRET_RUN) ?? []).some((run) => !HEXADECIMAL.test(run));

const URL_CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)[^\s'"]*@/gi;
const PASSWORD_PARAMETER = /(pass(?:word|wd)?|secret|token)=[^\s'"&]*/gi;

/** A text without the passwords of the addresses in it. */
export const withoutPasswords = (text: string): string =>
  text.replace(URL_CREDENTIALS, "$1***@").replace(PASSWORD_PARAMETER, "$1=***");

/** A path without secrets, however they are percent-encoded. A path without any stays as it is. */
export function withoutSecrets(path: string): string {
  const decoded = path.includes("%") ? fullyDecoded(path) : path;
  if (decoded === undefined) return "…";
  const redacted = redactRuns(decoded);
  return redacted === decoded ? redactRuns(path) : redacted;
}

const redactRuns = (text: string): string => text.replace(LONG_RUN, "…");

/** Decodes ASCII, which is all that a secret has; undefined if it is encoded too many times. */
function fullyDecoded(text: string): string | undefined {
  let decoded = text;
  for (let i = 0; i < DECODE_MAX_TIMES; i++) {
    const before = decoded;
    decoded = before.replace(ENCODED_ASCII, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (decoded === before) return decoded;
  }
  return undefined;
}
