import { useEffect, useRef, useState } from "preact/hooks";
import { countOf } from "../../src/base/text/text.ts";
import type { Span, UsageSeriesView } from "../../src/console/api/index.ts";
import type { Plan } from "../../src/domain/keys/plan.ts";
import type { Scope } from "../../src/domain/keys/scope.ts";
import { CopyableId } from "../components/forms/CopyButton.tsx";
import { Facts, Panel } from "../components/layout/Page.tsx";
import { Bar } from "../components/plots/Bar.tsx";
import { LatencyPlot, RefusalsPlot, UsagePlot } from "../components/plots/UsagePlot.tsx";
import { Time } from "../components/text.tsx";
import { accessText, planName, shareOf } from "../format/keys.ts";
import { grouped, percentage } from "../format/numbers.ts";
import { SPANS } from "../format/periods.ts";
import { type AskFailure, ask, failureOf } from "./ask.ts";
import { Failed, useIsLimited } from "./Failed.tsx";
import { forget, hold, opened } from "./held-key.ts";
import { LatestErrors, latestErrors } from "./LatestErrors.tsx";
import { Rotation } from "./Rotation.tsx";
import { type OwnKey, type OwnRequest, type OwnUsage, seriesOf, usagePath } from "./wire.ts";

/** A key, what is left of it, and what became of its requests. It asks when its reader does: never by itself. */
export function KeyPage({ secret }: { readonly secret: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [span, setSpan] = useState<Span>("day");
  const [usage, setUsage] = useState<UsageSeriesView | undefined>(undefined);
  const [errors, setErrors] = useState<readonly OwnRequest[] | undefined>(undefined);
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  const [isAsking, setAsking] = useState(false);
  const isLimited = useIsLimited(failure);
  const isWaiting = isAsking || isLimited;
  const key = opened.value as OwnKey;

  /** Shows what went wrong, unless all is well. A key that no longer works is forgotten. */
  async function asking(work: () => Promise<void>): Promise<void> {
    setAsking(true);
    try {
      await work();
      setFailure(undefined);
    } catch (error) {
      const failed = failureOf(error);
      if (failed.status === 401) return forget(failed.message);
      setFailure(failed);
    } finally {
      setAsking(false);
    }
  }
  /** Asks for the usage of a span and, again, for the key: the request itself has changed what is left. */
  const show = (wanted: Span, alsoKey: boolean) =>
    asking(async () => {
      const asked = await ask<readonly OwnUsage[]>(secret, usagePath(wanted, Date.now()));
      setUsage(seriesOf(wanted, asked));
      setSpan(wanted);
      if (alsoKey) opened.value = await ask<OwnKey>(secret, "/key");
    });
  const showErrors = () => asking(async () => setErrors(await latestErrors(secret)));
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    void show(span, false);
  }, []);

  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            <bdi>{key.name}</bdi>
          </h1>
          <p class="soft">Your key on the {planName(key.plan as Plan)} plan</p>
        </div>
        <div class="row">
          <button type="button" aria-disabled={isWaiting} onClick={() => !isWaiting && void show(span, true)}>
            Refresh
          </button>
          <button type="button" onClick={() => forget()}>
            Forget the key
          </button>
        </div>
      </header>
      <div class="page-body">
        {failure && <Failed failure={failure} />}
        <div class="two">
          <Left of={key} />
          <Details of={key} />
        </div>
        <Spans chosen={span} isWaiting={isWaiting} onChoose={(wanted) => void show(wanted, false)} />
        {usage ? <Usage of={usage} /> : <p class="soft">{isAsking ? "Loading the usage…" : "No usage to show."}</p>}
        <LatestErrors errors={errors} isWaiting={isWaiting} onShow={() => void showErrors()} />
        <Rotation of={key} secret={secret} isWaiting={isWaiting} onRotated={hold} />
      </div>
    </>
  );
}

const WINDOW_TITLES: Readonly<Record<string, string>> = { minute: "This minute", day: "Today" };

const Left = ({ of }: { readonly of: OwnKey }) => (
  <Panel title="What is left">
    <Facts
      facts={[
        ...of.quotas.map(
          (quota) => [WINDOW_TITLES[quota.window] ?? quota.window, <Rest key={quota.window} of={quota} />] as const,
        ),
        ["Strikes", `${countOf(of.strikesLeft, "more refusal")} in this minute would ban it`],
      ]}
    />
  </Panel>
);

/** The bar shows what is used, as everywhere; the words say what is left. */
const Rest = ({ of: { limit, remaining, resetAt } }: { readonly of: OwnKey["quotas"][number] }) => (
  <span class="quota">
    <Bar {...shareOf({ quota: limit, used: limit - remaining, resetsAtMs: null })} />
    <span>
      {grouped(remaining)} of {grouped(limit)}{" "}
      <span class="soft">
        until <Time ms={Date.parse(resetAt)} />
      </span>
    </span>
  </span>
);

const Details = ({ of }: { readonly of: OwnKey }) => (
  <Panel title="Details">
    <Facts
      facts={[
        ["Id", <CopyableId key="id" id={of.id} />],
        ["Plan", planName(of.plan as Plan)],
        ["Access", accessText(of.scopes as readonly Scope[])],
        [
          "Expires",
          of.expiresAt === undefined ? "never" : <Time key="expires" ms={Date.parse(of.expiresAt)} as="expiry" />,
        ],
      ]}
    />
  </Panel>
);

interface SpansProps {
  readonly chosen: Span;
  readonly isWaiting: boolean;
  readonly onChoose: (span: Span) => void;
}

const Spans = ({ chosen, isWaiting, onChoose }: SpansProps) => (
  <div class="row is-spread">
    <h2>What became of its requests</h2>
    <fieldset class="segments">
      <legend class="unseen">Span</legend>
      {SPANS.map(({ span, label }) => (
        <button
          key={span}
          type="button"
          aria-pressed={span === chosen}
          aria-disabled={isWaiting}
          onClick={() => !isWaiting && onChoose(span)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  </div>
);

const Usage = ({ of }: { readonly of: UsageSeriesView }) => (
  <>
    <Sums sum={of.sum} grain={of.grain} />
    <UsagePlot usage={of} />
    <RefusalsPlot usage={of} heightPx={140} />
    <LatencyPlot usage={of} heightPx={140} />
  </>
);

const SPAN_NOTES: Readonly<Record<UsageSeriesView["grain"], string>> = {
  minute: "in the last hour",
  hour: "in 24 hours",
  day: "in 30 days",
};

const shareText = (count: number, requests: number): string => (count === 0 ? "none" : percentage(count, requests));

const Sums = ({ sum, grain }: Pick<UsageSeriesView, "sum" | "grain">) => (
  <dl class="figures">
    {(
      [
        ["Requests", sum.requests],
        ["Passed", sum.passed],
        ["Client errors", sum.clientErrors],
        ["Refused", sum.refusedInAll],
        ["Failed", sum.failed],
      ] as const
    ).map(([title, count]) => (
      <div key={title}>
        <dt>{title}</dt>
        <dd class="figure">{grouped(count)}</dd>
        <dd class="note">{title === "Requests" ? SPAN_NOTES[grain] : shareText(count, sum.requests)}</dd>
      </div>
    ))}
  </dl>
);
