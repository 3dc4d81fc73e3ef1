import type { Scope } from "../../src/domain/keys/scope.ts";

// First requests with a new secret, ready to be run.

export interface Snippet {
  readonly title: string;
  /** Names the text for its button: "command" makes "Copy the command". */
  readonly what: string;
  readonly text: string;
}

interface FirstRequest {
  readonly scope: Scope | undefined;
  readonly path: string;
  readonly call: string;
}

/** The first that the key may send. Every key may ask about itself. */
const FIRST_REQUESTS: readonly FirstRequest[] = [
  { scope: "pets:read", path: "/pets", call: "pets.list()" },
  { scope: "orders:read", path: "/store/orders", call: "orders.list()" },
  { scope: undefined, path: "/key", call: "key()" },
];

/** `api` is the address of the API, which ends in /v1. */
export function snippetsFor(api: string, secret: string, scopes: readonly Scope[]): readonly Snippet[] {
  const may = ({ scope }: FirstRequest): boolean => scope === undefined || scopes.includes(scope);
  const { path, call } = FIRST_REQUESTS.find(may) as FirstRequest;
  return [
    {
      title: "On a command line",
      what: "command",
      text: `curl -H "Authorization: Bearer ${secret}" ${api}${path}`,
    },
    {
      title: "In a program, with the client",
      what: "program",
      text: `import { AnimalStore } from "animal-store-client";

const store = new AnimalStore({
  baseUrl: "${api}",
  apiKey: "${secret}",
});
console.log(await store.${call});`,
    },
  ];
}
