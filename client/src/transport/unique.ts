/** Prefix of all ids of calls and requests in the process, because clients share connections. Too short to be taken for a secret. */
let name: string | undefined;
/** All numbers have the same length, so that no id is part of another. */
let last = 1e6;

/** The next id of a call or a request. */
export const numbered = (): string => {
  name ??= randomText().slice(0, 12);
  return `${name}.${++last}`;
};

/** A unique text. Unlike crypto.randomUUID, this also works on pages without HTTPS. */
export const randomText = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");
