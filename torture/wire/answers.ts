/** One raw response. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body, one character per byte. */
  readonly body: string;
  /** The whole head, for reports. */
  readonly head: string;
}

export const textOf = (answer: WireAnswer): string => Buffer.from(answer.body, "latin1").toString();

export interface Received {
  readonly answers: readonly WireAnswer[];
  /** The bytes after the last complete response. */
  readonly rest: string;
}

const END_OF_HEAD = "\r\n\r\n";

/**
 * Parses the responses in received bytes. A response to HEAD announces a body that does not follow: `isHead` tells by
 * its index, or returns "unknown" if it is unclear how the server understood the request.
 */
export function readAnswers(received: string, isHead: (index: number) => boolean | "unknown"): Received {
  const answers: WireAnswer[] = [];
  let from = 0;
  for (;;) {
    const end = received.indexOf(END_OF_HEAD, from);
    if (end === -1 || !received.startsWith("HTTP/1.", from)) break;
    const head = received.slice(from, end);
    const bodyFrom = end + END_OF_HEAD.length;
    if (/^HTTP\/1\.1 1\d\d /.test(head)) {
      from = bodyFrom;
      continue;
    }
    const length = bodyLength(received, bodyFrom, head, isHead(answers.length));
    if (length === undefined) break;
    answers.push({ ...parseHead(head), body: received.slice(bodyFrom, bodyFrom + length) });
    from = bodyFrom + length;
  }
  return { answers, rest: received.slice(from) };
}

/** Undefined if the body is incomplete. */
function bodyLength(received: string, from: number, head: string, isHead: boolean | "unknown"): number | undefined {
  const declared = Number(/\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (isHead === true || /^HTTP\/1\.1 (?:204|304) /.test(head)) return 0;
  const available = received.length - from;
  if (isHead === "unknown" && (available === 0 || received.startsWith("HTTP/1.", from))) return 0;
  return available >= declared ? declared : undefined;
}

function parseHead(head: string): Omit<WireAnswer, "body"> {
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return { status: Number(statusLine.split(" ")[1]), headers, head };
}
