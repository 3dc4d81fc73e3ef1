import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { atEnd } from "../../../test/harness/cleanup.ts";

const HEAD_END = "\r\n\r\n";

/** A forward proxy that lets in who has the password, and what it was asked for. */
export interface ForwardProxy {
  readonly url: string;
  readonly asked: string[];
}

/** Starts a proxy that only makes tunnels (CONNECT). */
export async function startForwardProxy(user: string, password: string): Promise<ForwardProxy> {
  const asked: string[] = [];
  const allowed = `proxy-authorization: basic ${btoa(`${user}:${password}`)}`.toLowerCase();
  const answer = (caller: Socket, head: string): void => {
    const [line = "", ...headers] = head.split("\r\n");
    asked.push(line);
    const [, host = "", port] = /^CONNECT (.+):(\d+) HTTP\/1\.1$/.exec(line) ?? [];
    if (!port) return void caller.end("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n");
    if (!headers.some((header) => header.toLowerCase() === allowed))
      return void caller.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    const target = connect(Number(port), host, () => {
      caller.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      caller.pipe(target).pipe(caller);
    });
    target.on("error", () => caller.destroy());
    caller.on("close", () => target.destroy());
  };
  const callers = new Set<Socket>();
  const server = createServer((caller) => {
    callers.add(caller);
    let head = "";
    const read = (bytes: Buffer): void => {
      head += bytes.toString("latin1");
      if (!head.includes(HEAD_END)) return;
      caller.off("data", read);
      answer(caller, head.slice(0, head.indexOf(HEAD_END)));
    };
    caller.on("data", read).on("error", () => caller.destroy());
  });
  atEnd(() => {
    server.close();
    for (const caller of callers) caller.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://${user}:${password}@127.0.0.1:${port}`, asked };
}
