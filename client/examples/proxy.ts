// Says which key it has, of a service that is reached through a proxy only, on Node 20 and newer.
// Usage: npm install undici@7
//        HTTPS_PROXY=http://user:password@proxy.example:3128 node proxy.ts

import { AnimalStore, AnimalStoreError } from "animal-store-client";
import { fetch, ProxyAgent } from "undici";

const proxy = process.env.HTTPS_PROXY;
if (!proxy) {
  console.error("Usage: HTTPS_PROXY=http://user:password@host:port proxy");
  process.exit(2);
}

const dispatcher = new ProxyAgent(proxy);
// The fetch of Node itself may be of another version of undici than the agent. Their types differ in name only.
const throughProxy = (url: string, init: object) => fetch(url, { ...init, dispatcher }) as Promise<unknown>;
const store = new AnimalStore({ fetch: throughProxy as typeof globalThis.fetch, retries: 1 });
try {
  const { name, plan } = await store.key();
  console.log(`${name} (${plan}), through ${new URL(proxy).host}`);
} catch (error) {
  if (!(error instanceof AnimalStoreError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
await dispatcher.close();
