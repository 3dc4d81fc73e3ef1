import type { DocsPages } from "./docs.ts";
import { healthPages } from "./health.ts";
import type { Resource } from "./operation.ts";
import { type OrderParts, orderOperations } from "./orders.ts";
import type { Page } from "./page.ts";
import { type PetParts, petOperations } from "./pets.ts";
import { SCALAR_PATH } from "./scalar.ts";

/** The interface: every path needs a key. */
export function v1Resources(parts: PetParts & OrderParts): Record<string, Resource> {
  const { listPets, createPet, getPet } = petOperations(parts);
  const { listOrders, placeOrder, updateOrder } = orderOperations(parts);
  return {
    "/v1/pets": { GET: listPets, POST: createPet },
    "/v1/pets/:petId": { GET: getPet },
    "/v1/store/orders": { GET: listOrders, POST: placeOrder },
    "/v1/store/orders/:orderId": { PATCH: updateOrder },
  };
}

/** Everything else: pages for people and probes, which need none. */
export function publicPages(parts: { publicUrl: string; isReady: () => Promise<boolean> }): Record<string, Page> {
  // Loaded when a person first looks: a service that starts has no time for them.
  let docs: Promise<DocsPages> | undefined;
  const docsPage =
    (name: keyof DocsPages): Page =>
    async () => {
      docs ??= import("./docs.ts").then(({ docsPages }) => docsPages(parts.publicUrl));
      return (await docs)[name]();
    };
  const { healthz, readyz } = healthPages(parts.isReady);
  return {
    "/": docsPage("landing"),
    "/docs": docsPage("docs"),
    [SCALAR_PATH]: docsPage("scalar"),
    "/openapi.json": docsPage("openapi"),
    "/healthz": healthz,
    "/readyz": readyz,
  };
}
