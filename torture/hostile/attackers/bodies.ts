import { BODY_MAX_BYTES } from "../../../src/http/request/body.ts";
import { type Attacker, batches } from "./attacker.ts";

// Bodies just below the size limit that cost the most to receive, to parse, or to refuse.

/** Repeats an item as often as fits. */
function filled(start: string, item: (index: number) => string, end: string, maxBytes = BODY_MAX_BYTES): string {
  let text = start;
  for (let i = 0; text.length + item(i).length + end.length + 1 < maxBytes; i++) text += (i > 0 ? "," : "") + item(i);
  return text + end;
}

const ALMOST_ALL = BODY_MAX_BYTES - 100;

const WORST: Readonly<Record<string, string>> = {
  nested: filled('{"a":[', () => '{"b":1.0}', "]}"),
  deep: `${"[".repeat(ALMOST_ALL / 2)}${"]".repeat(ALMOST_ALL / 2)}`,
  members: filled("{", (i) => `"k${i}":1.0`, "}"),
  repeated: filled("{", () => '"a":1', "}"),
  numbers: filled('{"a":[', () => "1e1", "]}"),
  digits: `{"name":"Rex","categoryId":1${"0".repeat(ALMOST_ALL)}}`,
  escapes: `{"name":"${"\\u0041".repeat(ALMOST_ALL / 6)}","categoryId":1}`,
  name: `{"name":"${"x".repeat(ALMOST_ALL)}","categoryId":1}`,
  "too large": filled('{"a":[', () => '{"b":1.0}', "]}", 4 * BODY_MAX_BYTES),
  spaces: `${" ".repeat(ALMOST_ALL)}{"name":1}`,
};

export const WORST_BODIES = Object.keys(WORST);

const head = (secret: string, framing: string): Buffer =>
  Buffer.from(
    `POST /v1/pets HTTP/1.1\r\nHost: animal-store\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
  );

/** 65,000 chunks of one byte each. */
const ONE_BYTE_CHUNKS = Buffer.from(`${"1\r\nx\r\n".repeat(65_000)}0\r\n\r\n`);

const CONNECTIONS = 16;

export const oneByteChunks: Attacker = batches(CONNECTIONS, 1, ({ secret = "" }) =>
  Buffer.concat([head(secret, "Transfer-Encoding: chunked"), ONE_BYTE_CHUNKS]),
);

export const bodyAttackers: Readonly<Record<string, Attacker>> = Object.fromEntries(
  WORST_BODIES.map((name) => {
    const body = Buffer.from(WORST[name] as string);
    return [
      `body: ${name}`,
      batches(CONNECTIONS, 1, ({ secret = "" }) =>
        Buffer.concat([head(secret, `Content-Length: ${body.length}`), body]),
      ),
    ];
  }),
);
