// The ceiling: Bun's own server, when all it has to do is return bytes that are already there.
// Usage: PORT=… THREADS=… bun bench/contenders/ceiling.ts answers.json

import type { Answer } from "../common/tools.ts";

export interface CeilingAnswers {
  readonly list: Answer;
  readonly get: Answer;
  readonly create: Answer;
}

const threads = Number(process.env.THREADS ?? "1");
const file = process.argv[2] as string;
const answers: CeilingAnswers = await Bun.file(file).json();

const answerWith = ({ status, headers, body }: Answer) => new Response(body, { status, headers });

// The main thread listens last: when it answers, all threads do.
if (Bun.isMainThread)
  for (let i = 1; i < threads; i++) {
    const worker = new Worker(import.meta.url, { argv: [file] });
    await new Promise((resolve) => worker.addEventListener("message", resolve, { once: true }));
  }

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  development: false,
  reusePort: threads > 1,
  routes: {
    "/v1/pets": {
      GET: () => answerWith(answers.list),
      async POST(request) {
        await request.text();
        return answerWith(answers.create);
      },
    },
    "/v1/pets/:id": { GET: () => answerWith(answers.get) },
  },
});

if (!Bun.isMainThread) postMessage("listening");
