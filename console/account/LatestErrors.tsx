import { Panel } from "../components/layout/Page.tsx";
import { Empty } from "../components/layout/states.tsx";
import type { Column } from "../components/tables/column.ts";
import { Badge } from "../components/tables/StateBadge.tsx";
import { Table } from "../components/tables/Table.tsx";
import { Time } from "../components/text.tsx";
import { outcomeLabel } from "../format/requests.ts";
import { ask } from "./ask.ts";
import type { OwnRequest } from "./wire.ts";

const SHOWN = 20;

/** Asks for the latest requests that failed, the newest first. A failure of ours is one as well. */
export async function latestErrors(secret: string): Promise<readonly OwnRequest[]> {
  const [clientErrors, failures] = await Promise.all(
    ["4xx", "5xx"].map((status) => ask<readonly OwnRequest[]>(secret, `/key/requests?limit=${SHOWN}&status=${status}`)),
  );
  return [...(clientErrors ?? []), ...(failures ?? [])].sort((a, b) => b.id - a.id).slice(0, SHOWN);
}

const outcomeOf = ({ status, code }: OwnRequest) => outcomeLabel({ status, code: code ?? null });

const COLUMNS: readonly Column<OwnRequest>[] = [
  { title: "When", cell: ({ at }) => <Time ms={Date.parse(at)} as="second" /> },
  {
    title: "Request",
    cell: (request) => (
      <>
        <code class="path">
          {request.method} {request.path}
        </code>
        <div class="soft">{request.message}</div>
        <div class="only-narrow">
          <Badge {...outcomeOf(request)} />
        </div>
      </>
    ),
  },
  { title: "Outcome", isWide: true, cell: (request) => <Badge {...outcomeOf(request)} /> },
];

interface LatestErrorsProps {
  /** Undefined: nobody has asked yet. */
  readonly errors: readonly OwnRequest[] | undefined;
  readonly isWaiting: boolean;
  readonly onShow: () => void;
}

/** Why calls fail, in the words that the client got. It takes two requests, so it is shown when it is asked for. */
export const LatestErrors = ({ errors, isWaiting, onShow }: LatestErrorsProps) => (
  <Panel
    title="Latest errors"
    isFlush={errors !== undefined && errors.length > 0}
    aside={
      <button type="button" aria-disabled={isWaiting} onClick={() => !isWaiting && onShow()}>
        {errors ? "Ask again" : "Show"}
      </button>
    }
  >
    {errors === undefined ? (
      <p class="soft">Why its calls failed, in the words that the client got. Showing them takes two requests.</p>
    ) : errors.length > 0 ? (
      <Table caption="Latest errors" columns={COLUMNS} rows={errors} keyOf={({ id }) => String(id)} />
    ) : (
      <Empty title="No errors">None of its latest requests has failed, or the service keeps none.</Empty>
    )}
  </Panel>
);
