import type { HttpMethod } from "../operation.ts";
import { parseExactly } from "../wire/exact-json.ts";

export const JSON_TYPE = "application/json";

/** The largest response of the service is a page with a few hundred kilobytes. */
const MAX_BODY_BYTES = 5_000_000;

/**
 * The parsed body of a response: undefined if it has none, null unless it is JSON. Throws if it is surely not all that
 * was sent. The success of a request of the caller's own (`isAny`) may have a body or none.
 */
export async function bodyOf(response: Response, method: HttpMethod, isAny: boolean): Promise<unknown> {
  const { status, ok, headers } = response;
  const type = (headers.get("content-type") ?? "").toLowerCase();
  if (!isWhole(response, type, method, isAny)) throw new Error("the answer is incomplete");
  const isBare = status === 204 || status === 304;
  // A response without a body need not have a type, and only reading tells.
  if (isBare || !(type.startsWith(JSON_TYPE) || (isAny && ok && !type))) {
    // Other types are not from the service, and their bodies may never end.
    response.body?.cancel().catch(() => {});
    return isBare ? undefined : null;
  }
  // A compressed body has more bytes than its Content-Length says. To pages of other origins, browsers do not tell.
  const isShort =
    Number(headers.get("content-length") ?? Infinity) <= MAX_BODY_BYTES &&
    !headers.has("content-encoding") &&
    response.type !== "cors";
  const text = isShort ? await response.text() : await boundedText(response);
  if (isAny && ok && text === "") return undefined;
  try {
    return text === null ? null : parseExactly(text);
  } catch (error) {
    // Text that is not JSON is half of an answer if the status is a success; otherwise it is a stranger's.
    if (ok) throw error;
    return null;
  }
}

/**
 * Chromium accepts truncated headers, and takes a duplicated preflight response for the next one. Of the operations, only
 * a DELETE is answered with 204, and with no other success: that would be the response to something else.
 */
function isWhole({ status, ok, headers }: Response, type: string, method: HttpMethod, isAny: boolean): boolean {
  const isDelete = method === "DELETE";
  if (status === 204) return (isAny || isDelete) && !headers.has("allow");
  if (!ok || (isAny && !type)) return true;
  return (isAny || !isDelete) && (type === JSON_TYPE || !JSON_TYPE.startsWith(type));
}

/** The text of a body; null if it is too long to be the service's. Only here it is made a stream, which takes time. */
async function boundedText({ body }: Response): Promise<string | null> {
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
  return null;
}
