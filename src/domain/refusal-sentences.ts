import { type OrderUpdateRefusal, transitionsFrom } from "./stock/order.ts";

// Why a change of animals, categories or orders is refused, in sentences that the API and the console share. Each adds
// its own remedy.

export const NO_SUCH_ANIMAL = "There is no animal with this id.";
export const NO_SUCH_ORDER = "There is no order with this id.";
export const NO_SUCH_CATEGORY = "There is no name for the category with this id.";

export const ANIMAL_IN_ORDER = "This animal is in an open order, and its status follows that order.";
export const ANIMAL_HAS_ORDERS =
  "This animal has been ordered, and its orders still refer to it, so it cannot be removed.";

export function sentencesOnOrderUpdate({
  from,
  to,
}: Extract<OrderUpdateRefusal, { kind: "invalid_transition" }>): string {
  const moves = transitionsFrom(from);
  const remedy = moves.length === 0 ? `A ${from} order can no longer change.` : `It can become ${moves.join(" or ")}.`;
  const problem = from === to ? `is ${from} already` : `is ${from} and cannot become ${to}`;
  return `This order ${problem}. ${remedy}`;
}

export const sentencesOnTakenName = (by: bigint): string =>
  `Category ${by} has this name already, and case makes no difference. Choose another name, or first rename category ${by} or remove its name.`;
