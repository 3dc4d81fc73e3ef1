import { useRef, useState } from "preact/hooks";
import { SECOND_MS } from "../../../src/base/time/clock.ts";
import type { OrderView } from "../../../src/console/api/index.ts";
import { WRITES_STOCK } from "../../../src/domain/console-role.ts";
import { type OrderStatus, transitionsFrom } from "../../../src/domain/stock/order.ts";
import { call, sentenceOf } from "../../api.ts";
import { type Command, useCommands } from "../../commands/registry.ts";
import { keyOf } from "../../commands/shortcuts.ts";
import { Dialog } from "../../components/dialogs/Dialog.tsx";
import { announce, say } from "../../components/Toasts.tsx";
import { MOVE_LABELS } from "../../format/stock.ts";
import { may } from "../../session.ts";
import { delayedMoveOf, isLatestDelayed, moveLater, UNDO_MS, undoMove } from "./delayed-moves.ts";

interface OrderMovesProps {
  readonly order: OrderView;
  readonly onMoved: (order: OrderView) => void;
  readonly onRefused: () => void;
  /** Called when a move can still be undone. By default the focus goes to that button. */
  readonly onDelayed?: () => void;
  /** One of many, whose moves are offered to those who type them. */
  readonly isOneOfMany?: boolean;
}

/** The key that presses its button, in the row that has the focus. */
const KEY_OF_MOVE: Partial<Record<OrderStatus, string>> = { approved: "a" };

/** True if the status has no transitions left. */
const isFinal = (status: OrderStatus): boolean => transitionsFrom(status).length === 0;

/** The buttons that move an order. */
export function OrderMoves({ order, onMoved, onRefused, onDelayed, isOneOfMany = false }: OrderMovesProps) {
  const { id, status } = order;
  const [asking, setAsking] = useState<OrderStatus | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const buttons = useRef<HTMLDivElement>(null);
  const focusFirst = (): void => void setTimeout(() => buttons.current?.querySelector("button")?.focus());
  async function move(to: OrderStatus): Promise<void> {
    setAsking(undefined);
    setBusy(true);
    try {
      const body = { status: to };
      onMoved(await call<OrderView>(`/orders/${id}`, { method: "PATCH", body, outlivesPage: true }));
      say(`Order ${id} is now ${to}.`);
    } catch (error) {
      say(`Order ${id}: ${sentenceOf(error)}`, { isProblem: true });
      onRefused();
    } finally {
      setBusy(false);
    }
  }
  /** A final move is confirmed first. Any other can be undone for a while, because no move leads back. */
  function begin(to: OrderStatus): void {
    if (isFinal(to)) {
      setAsking(to);
      return;
    }
    moveLater(id, to, () => move(to));
    announce(`Order ${id} will be ${to} in ${UNDO_MS / SECOND_MS} seconds.`);
    (onDelayed ?? focusFirst)();
  }
  function undo(): void {
    undoMove(id);
    announce(`Order ${id} is still ${status}.`);
    focusFirst();
  }
  const delayed = delayedMoveOf(id);
  const moves = transitionsFrom(status).map((to) => ({
    to,
    title: `${MOVE_LABELS[to].verb} order ${id}${isFinal(to) ? "…" : ""}`,
    run: () => begin(to),
    isOnDemand: isOneOfMany,
    ...(isOneOfMany ? {} : { press: KEY_OF_MOVE[to] }),
  }));
  const undoing: Command = { title: `Undo order ${id}`, run: undo, isOnDemand: isOneOfMany };
  useCommands(may(WRITES_STOCK) ? (delayed ? [undoing] : moves) : []);
  if (isFinal(status) || !may(WRITES_STOCK)) return null;
  return (
    <div ref={buttons} class="row">
      {delayed ? (
        <>
          <button type="button" aria-keyshortcuts={isLatestDelayed(id) ? keyOf("u") : undefined} onClick={undo}>
            Undo <span class="unseen">order {id}</span>
          </button>
          <span class="soft small">{MOVE_LABELS[delayed].doing}</span>
        </>
      ) : (
        moves.map(({ to, run }) => (
          <button key={to} type="button" aria-busy={isBusy} aria-keyshortcuts={keyOf(KEY_OF_MOVE[to])} onClick={run}>
            {MOVE_LABELS[to].verb}
            {isFinal(to) ? "…" : ""} <span class="unseen">order {id}</span>
          </button>
        ))
      )}
      {asking && (
        <AskFirst order={order} to={asking} onMove={() => void move(asking)} onClose={() => setAsking(undefined)} />
      )}
    </div>
  );
}

interface AskFirstProps {
  readonly order: OrderView;
  readonly to: OrderStatus;
  readonly onMove: () => void;
  readonly onClose: () => void;
}

/** A simple confirmation: the move cannot be undone, but it is everyday work. */
const AskFirst = ({ order: { id, petId, animalName }, to, onMove, onClose }: AskFirstProps) => (
  <Dialog title={`${MOVE_LABELS[to].verb} order ${id}?`} onClose={onClose}>
    <p>
      <bdi>{animalName ?? `Animal ${petId}`}</bdi> {MOVE_LABELS[to].animal}. This cannot be undone.
    </p>
    <div class="dialog-buttons">
      <button type="button" onClick={onClose}>
        Leave it as it is
      </button>
      <button type="button" class={to === "cancelled" ? "is-main is-danger" : "is-main"} onClick={onMove}>
        {MOVE_LABELS[to].verb} the order
      </button>
    </div>
  </Dialog>
);
