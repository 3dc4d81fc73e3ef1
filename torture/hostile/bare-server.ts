// The control: a server that does nothing but receive requests. The harm that an attack on it does to a client of the
// service comes from the attacker's own load on the machine. Usage: bun torture/hostile/bare-server.ts

const server = Bun.serve({
  hostname: "::",
  port: 0,
  development: false,
  async fetch(request) {
    if (request.body) await request.bytes();
    return new Response('{"code":"bare"}', { status: 404, headers: { "Content-Type": "application/json" } });
  },
});
process.stdout.write(`${server.port}\n`);
