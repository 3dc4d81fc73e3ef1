import type { Random } from "../common/random.ts";
import type { AnimalView, Holding } from "../ledger/ledger.ts";
import { isHeld, ORDERS, petText } from "./animals.ts";
import type { Request } from "./client.ts";

/** A request that must be refused, and so change nothing. */
export interface Refused {
  readonly request: Request;
  readonly status: number;
  readonly code: string;
}

/** Picks a request that the animal's current state forbids. */
export function mistakeWith(holding: Holding, view: NonNullable<AnimalView>, random: Random): Refused {
  const target = `/pets/${holding.id}`;
  const patch = (body: string): Request => ({ method: "PATCH", target, body });
  const possible: Refused[] = [
    { request: patch("{}"), status: 400, code: "missing_field" },
    { request: patch('{"name":"Rex","weight":1}'), status: 400, code: "unknown_field" },
    ...[patch('{"name":"overwritten"}'), { method: "DELETE", target } as const].map((request) => ({
      request: { ...request, ifMatch: random.pick(wrongTags(holding, view)) },
      status: 412,
      code: "precondition_failed",
    })),
  ];
  if (isHeld(view)) possible.push({ request: patch('{"status":"sold"}'), status: 409, code: "pet_in_order" });
  if (view.orders.length > 0)
    possible.push({ request: { method: "DELETE", target }, status: 409, code: "pet_has_orders" });
  return random.pick(possible);
}

/** Tags that do not match the animal: of another content, weak, and made up. */
function wrongTags({ id, contentByTag }: Holding, view: NonNullable<AnimalView>): string[] {
  const now = petText(id, view);
  const others = [...contentByTag].map(([tag, content]) => (content === now ? `W/${tag}` : tag));
  return ['"AAAAAAAAAAAAAAAAAAAAAA"', '""', ...others];
}

/** Picks a request for a deleted animal. */
export function askForGone({ id }: Holding, random: Random): Refused {
  const target = `/pets/${id}`;
  const code = "pet_not_found";
  return random.pick<Refused>([
    { request: { method: "GET", target }, status: 404, code },
    { request: { method: "PATCH", target, body: '{"status":"available"}' }, status: 404, code },
    { request: { method: "DELETE", target }, status: 404, code },
    { request: { method: "POST", target: ORDERS, body: `{"petId":${id}}` }, status: 400, code: "" },
  ]);
}
