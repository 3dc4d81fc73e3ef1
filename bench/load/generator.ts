// The process that sends the steady load of steady-load.ts. It reads its assignment from its standard input as JSON, and
// prints what it has measured. It does nothing else in between, and everything in one loop without promises.

import { Sockets } from "./sockets.ts";
import type { Latency, SteadyLoad } from "./steady-load.ts";

/** Requests that are sent before those that count: until then, code is compiled and connections are accepted. */
const LEAD_IN_SECONDS = 0.5;
const HEAD_END = "\r\n\r\n";
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const NONE = -1;

interface Connection {
  readonly socket: number;
  /** The number of the request that it waits for. */
  request: number;
  /** The bytes of the response that are missing, once its head has been read. */
  missing: number;
  isOk: boolean;
  freeSinceMs: number;
}

/** The requests that are sent, one after the other, ready for the wire. */
function encode(lines: readonly string[], count: number, { origin, secrets }: SteadyLoad) {
  const { host } = new URL(origin);
  // It begins somewhere else each time: otherwise the requests of the previous run would be repeated.
  const first = Math.floor(Math.random() * lines.length);
  const texts = Array.from({ length: count }, (_, i) => {
    const [method, path, body = ""] = (lines[(first + i) % lines.length] as string).split("\t");
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${secrets[i % secrets.length]}\r\n`;
    return body === ""
      ? `${head}\r\n`
      : `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  });
  const bytes = Buffer.from(texts.join(""), "latin1");
  const ends = new Uint32Array(count);
  let end = 0;
  for (const [i, text] of texts.entries()) {
    end += text.length;
    ends[i] = end;
  }
  return { bytes, ends };
}

function run(load: SteadyLoad, lines: readonly string[]): Latency {
  const { origin, perSecond, seconds, connections: size, waitSeconds } = load;
  const total = Math.round(perSecond * (LEAD_IN_SECONDS + seconds));
  const counted = Math.round(perSecond * LEAD_IN_SECONDS);
  const { bytes, ends } = encode(lines, total, load);
  const sockets = new Sockets(origin, bytes);
  const connections = new Map<number, Connection>();
  // The connection that was free for longest is next, so that all of them are used, and all threads behind them.
  const free: Connection[] = [];
  const connect = () => {
    const socket = sockets.open();
    const connection = { socket, request: NONE, missing: NONE, isOk: false, freeSinceMs: performance.now() };
    connections.set(socket, connection);
    free.push(connection);
  };
  for (let i = 0; i < size; i++) connect();

  const latenciesMs = new Float64Array(total).fill(Number.NaN);
  const lagsMs = new Float64Array(total);
  const intervalMs = 1000 / perSecond;
  const beganMs = performance.now() + intervalMs;
  const dueMs = (request: number): number => beganMs + request * intervalMs;
  const endMs = dueMs(total) + 1000 * waitSeconds;
  let [sent, done, failed] = [0, 0, 0];
  let cpuBefore = process.cpuUsage();

  const rangeOf = (request: number) =>
    [request === 0 ? 0 : (ends[request - 1] as number), ends[request] as number] as const;
  const sentAs = (request: number): string => bytes.toString("latin1", ...rangeOf(request));
  const send = (connection: Connection): void => {
    const [from, to] = rangeOf(sent);
    // While no connection was free, it was not the generator that was late.
    lagsMs[sent] = performance.now() - Math.max(dueMs(sent), connection.freeSinceMs);
    if (sent === counted) cpuBefore = process.cpuUsage();
    connection.request = sent++;
    connection.missing = NONE;
    if (!sockets.send(connection.socket, from, to)) lose(connection);
  };
  const finish = (connection: Connection, isOk: boolean): void => {
    const { request } = connection;
    connection.request = NONE;
    connection.freeSinceMs = performance.now();
    latenciesMs[request] = connection.freeSinceMs - dueMs(request);
    if (!isOk && request >= counted) failed++;
    done++;
  };
  /** Another connection takes its place. */
  const lose = (connection: Connection): void => {
    connections.delete(connection.socket);
    sockets.close(connection.socket);
    if (connection.request === NONE) free.splice(free.indexOf(connection), 1);
    else finish(connection, false);
    connect();
  };
  const receive = (connection: Connection): void => {
    let length = sockets.receive(connection.socket);
    if (length <= 0) {
      lose(connection);
      return;
    }
    if (connection.missing === NONE) {
      const head = sockets.received.indexOf(HEAD_END);
      if (head === -1 || head >= length) throw new Error(`${origin} sent the head of a response in parts`);
      const text = sockets.received.toString("latin1", 0, head);
      const body = LENGTH.exec(text)?.[1];
      if (body === undefined) throw new Error(`${text}\nhas no length, in response to\n${sentAs(connection.request)}`);
      connection.isOk = text.charCodeAt(9) === 50; // The first digit of the status is a 2.
      connection.missing = Number(body);
      length -= head + HEAD_END.length;
    }
    connection.missing -= length;
    if (connection.missing > 0) return;
    finish(connection, connection.isOk);
    free.push(connection);
  };

  while (done < total) {
    let nowMs = performance.now();
    if (nowMs > endMs) break;
    for (; sent < total && free.length > 0 && dueMs(sent) <= nowMs; nowMs = performance.now())
      send(free.shift() as Connection);
    const untilMs = sent < total && free.length > 0 ? dueMs(sent) : endMs;
    const ready = sockets.ready(untilMs - nowMs);
    for (let i = 0; i < ready; i++) {
      const connection = connections.get(sockets.readySocket(i));
      if (connection) receive(connection);
    }
  }

  const cpu = process.cpuUsage(cpuBefore);
  const stoppedMs = performance.now();
  let unanswered = 0;
  for (let i = counted; i < total; i++)
    if (Number.isNaN(latenciesMs[i])) {
      unanswered++;
      latenciesMs[i] = stoppedMs - dueMs(i);
    }
  const requests = total - counted;
  const quantile = (values: Float64Array, q: number) =>
    values[Math.min(requests - 1, Math.floor(q * requests))] as number;
  const latencies = latenciesMs.subarray(counted).sort();
  const lags = lagsMs.subarray(counted).sort();
  return {
    requests,
    failed,
    unanswered,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    p999Ms: quantile(latencies, 0.999),
    slowestMs: quantile(latencies, 1),
    lagP99Ms: quantile(lags, 0.99),
    lagMaxMs: quantile(lags, 1),
    generatorMicros: (cpu.user + cpu.system) / requests,
  };
}

const load: SteadyLoad = await Bun.stdin.json();
const lines = (await Bun.file(load.requestsFile).text()).trimEnd().split("\n");
process.stdout.write(JSON.stringify(run(load, lines)));
