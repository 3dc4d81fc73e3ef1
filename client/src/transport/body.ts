import { parseExactly } from "../wire/exact-json.ts";

export const JSON_TYPE = "application/json";

/** The largest response of the service is a page with a few hundred kilobytes. */
const MAX_BODY_BYTES = 5_000_000;

/** The parsed body of a response; undefined unless it is JSON. Throws if it is surely not all that was sent. */
export async function bodyOf(response: Response, method: string): Promise<unknown> {
  const { status, ok, headers } = response;
  const type = (headers.get("content-type") ?? "").toLowerCase();
  if (!isWhole(response, type, method)) throw new Error("the answer is incomplete");
  if (status === 204 || status === 304 || !type.startsWith(JSON_TYPE)) {
    // Other types are not from the service, and their bodies may never end.
    response.body?.cancel().catch(() => {});
    return undefined;
  }
  // A compressed body has more bytes than its Content-Length says.
  const isShort =
    Number(headers.get("content-length") ?? Infinity) <= MAX_BODY_BYTES && !headers.has("content-encoding");
  const text = isShort ? await response.text() : await boundedText(response);
  try {
    return text === undefined ? undefined : parseExactly(text);
  } catch (error) {
    // Text that is not JSON is half of an answer if the status is a success; otherwise it is a stranger's.
    if (ok) throw error;
    return undefined;
  }
}

/**
 * Chromium accepts truncated headers, and takes a duplicated preflight response for the next one. Only a DELETE is
 * answered with 204, and with no other success: that would be the response to something else.
 */
const isWhole = ({ status, ok, headers }: Response, type: string, method: string): boolean =>
  ok && method === "DELETE"
    ? status === 204 && !headers.has("allow")
    : status !== 204 && (!ok || type === JSON_TYPE || !JSON_TYPE.startsWith(type));

/** The text of a body; undefined if it is too long to be the service's. Only here it is made a stream, which takes time. */
async function boundedText({ body }: Response): Promise<string | undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let left = MAX_BODY_BYTES; left >= 0; ) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) return text + decoder.decode();
    left -= value.length;
    text += decoder.decode(value, { stream: true });
  }
  reader?.cancel().catch(() => {});
  return undefined;
}
