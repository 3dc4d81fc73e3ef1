import type { ConsoleError } from "../src/console/api/index.ts";
import { BASE } from "./router.ts";

// Calls of the console's server. Whatever goes wrong is a Failure, whose message is a sentence for the person.

export const API = `${BASE}/api`;

export class Failure extends Error {
  constructor(
    /** 0: there was no answer. */
    readonly status: number,
    readonly code: string,
    message: string,
    /** Of the form that was sent. */
    readonly field: string | undefined = undefined,
  ) {
    super(message);
    this.name = "Failure";
  }
}

/** Called when the server does not know the session: it has ended, or there was none. */
let onSignedOut: (failure: Failure) => void = () => {};

export function whenSignedOut(listener: (failure: Failure) => void): void {
  onSignedOut = listener;
}

export interface Call {
  readonly method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Its refusal says nothing about the session that there may be. */
  readonly isSigningIn?: boolean;
}

/** Undefined: there is nothing to say (204). An aborted call is rejected with the reason of its signal. */
export async function call<T = undefined>(path: string, options: Call = {}): Promise<T> {
  const { method = "GET", body, signal, isSigningIn = false } = options;
  const response = await send(path, method, body, signal);
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

/** Sends a file as a body. fetch() cannot tell how far it is. */
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
      reject(new Failure(0, "cut_off", "The file did not arrive: the connection broke. Send it again."));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
    request.open("POST", `${API}${path}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file);
  }).finally(() => signal.removeEventListener("abort", stop));
}

function send(path: string, method: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const content =
    body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const request = { method, ...content, ...(signal ? { signal } : {}), credentials: "same-origin" } as const;
  return fetch(`${API}${path}`, request).catch((error: unknown) => throwUnlessAborted(error, signal, method !== "GET"));
}

/** Lists ask again by themselves. What was to be changed may have been, and only a person can tell. */
function throwUnlessAborted(error: unknown, signal: AbortSignal | undefined, isChange: boolean): never {
  if (signal?.aborted) throw error;
  const next = isChange ? "Look whether it was done before you try again." : "It is asked again shortly.";
  throw new Failure(0, "no_answer", `The service does not answer. Is it running? ${next}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failureOf(status: number, value: unknown): Failure {
  if (isConsoleError(value)) return new Failure(status, value.code, value.message, value.field);
  return new Failure(status, "unexpected", `The service answered with status ${status}. Its log says why.`);
}

const isConsoleError = (value: unknown): value is ConsoleError =>
  typeof value === "object" && value !== null && "code" in value && "message" in value;

/** What to tell the person about anything that was thrown. */
export const sentenceOf = (error: unknown): string =>
  error instanceof Failure ? error.message : "Something went wrong in this page. Reload it, and try again.";
