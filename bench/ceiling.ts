// The ceiling: what Bun's own server can do if all it has to do is return bytes that are already there.
// Usage: PORT=… bun bench/ceiling.ts answer.json

import type { Answer } from "./tools.ts";

const { status, headers, body }: Answer = await Bun.file(process.argv[2] as string).json();

const answer = () => new Response(body, { status, headers });

async function answerOnceRead(request: Request): Promise<Response> {
  await request.text();
  return new Response(body, { status, headers });
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  development: false,
  reusePort: false,
  fetch: status === 201 ? answerOnceRead : answer,
});
