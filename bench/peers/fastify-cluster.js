// The Fastify peer in several processes that share the port. Each counts requests by itself.

import cluster from "node:cluster";

if (cluster.isPrimary) {
  const workers = Array.from({ length: Number(process.env.PROCESSES) }, () => cluster.fork());
  process.on("SIGTERM", () => {
    for (const worker of workers) worker.process.kill("SIGTERM");
  });
  cluster.on("exit", () => {
    if (workers.every((worker) => worker.isDead())) process.exit(0);
  });
} else await import("./fastify.js");
