import type { ConsoleError, FieldMistakeView } from "../src/console/api/index.ts";
import { BASE } from "./router.ts";

// Calls to the console's server. Every error is a Failure, whose message is a sentence for the user.

export const API = `${BASE}/api`;

export class Failure extends Error {
  constructor(
    /** 0 if there was no response. */
    readonly status: number,
    readonly code: string,
    message: string,
    /** What is wrong with the fields of a form. The message is that of the first. */
    readonly mistakes: readonly FieldMistakeView[] = [],
  ) {
    super(message);
    this.name = "Failure";
  }
}

/** True if the server has rejected the session. */
export const isSignedOut = (error: unknown): boolean => error instanceof Failure && error.status === 401;

/** Called when the server rejects the session: it has ended, or there was none. */
let onSignedOut: (failure: Failure) => void = () => {};

export function whenSignedOut(listener: (failure: Failure) => void): void {
  onSignedOut = listener;
}

export interface Call {
  readonly method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Sent even if the page is left meanwhile. */
  readonly outlivesPage?: boolean;
  /** A 401 then says nothing about an existing session. */
  readonly isSigningIn?: boolean;
}

/** Resolves to undefined for a 204. An aborted call rejects with the reason of its signal. */
export async function call<T = undefined>(path: string, options: Call = {}): Promise<T> {
  const { method = "GET", body, signal, outlivesPage = false, isSigningIn = false } = options;
  const response = await send(path, method, body, signal, outlivesPage);
  if (response.status === 204) return undefined as T;
  const text = await response.text().catch((error: unknown) => throwUnlessAborted(error, signal, method !== "GET"));
  const value = parsed(text);
  if (response.ok && value !== undefined) return value as T;
  const failure = failureOf(response.status, value);
  if (response.status === 401 && !isSigningIn) onSignedOut(failure);
  throw failure;
}

export interface Sending {
  readonly signal: AbortSignal;
  readonly onProgress: (sentBytes: number) => void;
}

/** Uploads a file. Uses XMLHttpRequest, because fetch() does not report progress. */
export function sendFile<T>(path: string, file: Blob, { signal, onProgress }: Sending): Promise<T> {
  const request = new XMLHttpRequest();
  const stop = (): void => request.abort();
  return new Promise<T>((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => {
      const value = parsed(request.responseText);
      if (request.status < 300 && value !== undefined) return resolve(value as T);
      const failure = failureOf(request.status, value);
      if (request.status === 401) onSignedOut(failure);
      reject(failure);
    };
    request.onerror = () =>
      reject(new Failure(0, "cut_off", "The upload failed: the connection was lost. Send the file again."));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
    request.open("POST", `${API}${path}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file);
  }).finally(() => signal.removeEventListener("abort", stop));
}

function send(
  path: string,
  method: string,
  body: unknown,
  signal: AbortSignal | undefined,
  keepalive: boolean,
): Promise<Response> {
  const content =
    body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const request = { method, ...content, ...(signal ? { signal } : {}), keepalive, credentials: "same-origin" } as const;
  return fetch(`${API}${path}`, request).catch((error: unknown) => throwUnlessAborted(error, signal, method !== "GET"));
}

/** Pages poll again by themselves. A change may have been made, and only the user can tell. */
function throwUnlessAborted(error: unknown, signal: AbortSignal | undefined, isChange: boolean): never {
  if (signal?.aborted) throw error;
  const next = isChange
    ? "Check whether the change was made before you try again."
    : "The page will try again shortly.";
  throw new Failure(0, "no_answer", `The service is not responding. Is it running? ${next}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failureOf(status: number, value: unknown): Failure {
  if (isConsoleError(value)) return new Failure(status, value.code, value.message, mistakesOf(value));
  return new Failure(status, "unexpected", `The service returned status ${status}; its log has the details.`);
}

const mistakesOf = ({ field, message, others = [] }: ConsoleError): readonly FieldMistakeView[] =>
  field === undefined ? [] : [{ field, message }, ...others];

/** The failure of a form that is not even sent; undefined if it has no mistakes. */
export function failureOfForm(mistakes: readonly (FieldMistakeView | undefined | false)[]): Failure | undefined {
  const found = mistakes.filter((each) => each !== undefined && each !== false);
  return found[0] && new Failure(0, "invalid_value", found[0].message, found);
}

const isConsoleError = (value: unknown): value is ConsoleError =>
  typeof value === "object" && value !== null && "code" in value && "message" in value;

/** The message for the user about anything that was thrown. */
export const sentenceOf = (error: unknown): string =>
  error instanceof Failure ? error.message : "Something went wrong on this page. Reload it and try again.";
