import { assertDescribed } from "../checks/openapi.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely
  readonly json: any;
}

/** Sends a request under /v1 and checks the answer against the OpenAPI document. */
export async function send(base: string, method: string, target: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(base + target, { method, redirect: "manual", ...init });
  const text = await response.text();
  assertDescribed(method, target.split("?", 1)[0] as string, response.status, response.headers, text);
  return { status: response.status, headers: response.headers, text, json: text === "" ? undefined : JSON.parse(text) };
}
