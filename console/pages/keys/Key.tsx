import { useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type { ConfirmedForm, KeyView, UsageSeriesView } from "../../../src/console/api/index.ts";
import { OPERATOR_ONLY } from "../../../src/domain/console-role.ts";
import type { Period } from "../../../src/domain/usage/grains.ts";
import { call } from "../../api.ts";
import { CommandButton } from "../../commands/CommandButton.tsx";
import { goingTo, useCommands } from "../../commands/registry.ts";
import { Confirm } from "../../components/dialogs/Confirm.tsx";
import { rescueFocus } from "../../components/dialogs/focus.ts";
import { CopyableId } from "../../components/forms/CopyButton.tsx";
import { Facts, Page, Panel } from "../../components/layout/Page.tsx";
import { PageOfOne } from "../../components/layout/PageOfOne.tsx";
import { Loaded, Outdated } from "../../components/layout/states.tsx";
import { Quota } from "../../components/plots/Bar.tsx";
import { Figures } from "../../components/plots/Figures.tsx";
import { goToPeriod, PeriodChoice } from "../../components/plots/PeriodChoice.tsx";
import { LatencyPlot, RefusalsPlot, UsagePlot } from "../../components/plots/UsagePlot.tsx";
import { orSay, say } from "../../components/Toasts.tsx";
import { StateBadge } from "../../components/tables/StateBadge.tsx";
import { Time } from "../../components/text.tsx";
import { accessText, planName, quotasText } from "../../format/keys.ts";
import { quoted } from "../../format/names.ts";
import { chosenIn, inQuery } from "../../format/periods.ts";
import { duration } from "../../format/time.ts";
import { type Live, useLive } from "../../live.ts";
import { address, linkTo, navigate, withParams } from "../../router.ts";
import { may } from "../../session.ts";
import { EditKey } from "./EditKey.tsx";
import { KeyRequests } from "./KeyRequests.tsx";
import { RotateKey } from "./RotateKey.tsx";

const PARENT = { title: "Keys", href: linkTo("/keys") };

/** One key: its details, its usage, and its actions. */
export function Key({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const path = `/keys/${encodeURIComponent(params.id as string)}`;
  const live = useLive<KeyView>(path);
  return (
    <PageOfOne live={live} title="Key" what="the key" parent={PARENT}>
      {(key) => <Known live={live} of={key} path={path} />}
    </PageOfOne>
  );
}

interface KnownProps {
  readonly live: Live<KeyView>;
  readonly of: KeyView;
  readonly path: string;
}

function Known({ live, of, path }: KnownProps) {
  const here = address.value;
  const chosen = chosenIn(here.params);
  const usage = useLive<UsageSeriesView>(withParams(`${path}/usage`, inQuery(chosen)));
  const zoom = (period: Period): void => goToPeriod(here, period);
  return (
    <Page
      title={of.name}
      badge={<StateBadge of={of} />}
      parent={PARENT}
      actions={may(OPERATOR_ONLY) && <Actions live={live} of={of} path={path} />}
      tools={<PeriodChoice address={here} chosen={chosen} path={`${path}/usage`} />}
    >
      {live.error !== undefined && <Outdated error={live.error} />}
      {usage.data && <Figures usage={usage.data} chosen={chosen} />}
      <div class="two">
        <div class="stack">
          <Loaded live={usage} what="the usage">
            {(series) => (
              <>
                <UsagePlot usage={series} heightPx={200} onZoom={zoom} />
                <RefusalsPlot usage={series} heightPx={140} onZoom={zoom} />
                <LatencyPlot usage={series} heightPx={140} onZoom={zoom} />
              </>
            )}
          </Loaded>
        </div>
        <div class="stack">
          <KeyFacts of={of} />
          {of.state !== "revoked" && <Bans of={of} />}
        </div>
      </div>
      {may(OPERATOR_ONLY) && <KeyRequests path={path} id={of.id} />}
      {may(OPERATOR_ONLY) && <Ending live={live} of={of} path={path} />}
    </Page>
  );
}

type Command = "suspend" | "resume" | "unban" | "revoke";

/** Sends a command about the key, and shows the result. */
async function command({ live, path }: KnownProps, name: Command, done: string, undo?: () => void): Promise<void> {
  live.replace(await call<KeyView>(`${path}/${name}`, { method: "POST", body: {} }));
  say(done, undo ? { undo } : {});
  rescueFocus();
}

/** True if the key is revoked, or expired until someone changes its expiry. */
const hasEnded = ({ state }: KeyView): boolean => state === "revoked" || state === "expired";

function Actions(props: KnownProps) {
  const { live, of } = props;
  const [open, setOpen] = useState<"edit" | "rotate" | undefined>(undefined);
  const close = (): void => setOpen(undefined);
  const unban = of.state === "banned" && {
    title: "Lift the ban",
    run: () => void orSay(command(props, "unban", "The ban was lifted, and earlier bans are forgotten.")),
  };
  const rotate = !hasEnded(of) && { title: "Rotate this key", run: () => setOpen("rotate") };
  const edit = of.state !== "revoked" && { title: "Edit this key", run: () => setOpen("edit") };
  useCommands([unban, rotate, edit]);
  return (
    <>
      <CommandButton of={unban} />
      <CommandButton of={rotate}>Rotate</CommandButton>
      <CommandButton of={edit}>Edit</CommandButton>
      {open === "edit" && <EditKey of={of} onSaved={live.replace} onClose={close} />}
      {open === "rotate" && <RotateKey of={of} onRotated={live.replace} onClose={close} />}
    </>
  );
}

function KeyFacts({ of }: { readonly of: KeyView }) {
  const journal = goingTo("Journal of this key", linkTo("/journal", { key: of.id }));
  useCommands([journal]);
  return (
    <Panel title="Details" aside={<a href={journal.href}>Journal</a>}>
      <Facts
        facts={[
          ["Id", <CopyableId key="id" id={of.id} />],
          ["Plan", `${planName(of.plan)}: ${quotasText(of.quotas)}`],
          ["Access", accessText(of.scopes)],
          ["Rotation", of.mayRotate ? "its holder may rotate the secret" : "by the operator alone"],
          ["Expires", of.expiresAtMs === null ? "never" : <Time key="expires" ms={of.expiresAtMs} as="expiry" />],
          ["Issued", <Time key="issued" ms={of.createdAtMs} />],
          ["Last used", of.lastUsedAtMs === null ? "never" : <Time key="used" ms={of.lastUsedAtMs} as="ago" />],
          ...(of.suspendedAtMs === null
            ? []
            : [["Suspended", <Time key="suspended" ms={of.suspendedAtMs} />] as const]),
          ...(of.revokedAtMs === null ? [] : [["Revoked", <Time key="revoked" ms={of.revokedAtMs} />] as const]),
          ["Secrets", <Secrets key="secrets" of={of} />],
        ]}
      />
    </Panel>
  );
}

/** The valid secrets, newest first. */
const Secrets = ({ of: { secrets } }: { readonly of: KeyView }) =>
  secrets.length === 0 ? (
    <>none valid</>
  ) : (
    <ul>
      {secrets.map(({ createdAtMs, worksUntilMs }, i) => (
        <li key={`${createdAtMs} ${worksUntilMs}`}>
          {i === 0 ? "Current" : "Old"}
          {createdAtMs !== null && (
            <>
              , created <Time ms={createdAtMs} />
            </>
          )}
          {worksUntilMs !== null && (
            <>
              , valid until <Time ms={worksUntilMs} />
            </>
          )}
        </li>
      ))}
    </ul>
  );

const Bans = ({ of }: { readonly of: KeyView }) => (
  <Panel title="Quotas and bans">
    <Facts
      facts={[
        ["This minute", <Quota key="minute" window={of.minute} />],
        ["Today", <Quota key="today" window={of.today} />],
        ...(of.bans && of.state !== "banned"
          ? [["Strikes", `${countOf(of.bans.strikesLeft, "more refusal")} in this minute would ban it`] as const]
          : []),
        ["Bans", <BanHistory key="bans" bans={of.bans} />],
      ]}
    />
  </Panel>
);

function BanHistory({ bans }: { readonly bans: KeyView["bans"] }) {
  if (!bans) return <>unknown: Redis, which counts them, is not responding</>;
  if (bans.inARow === 0) return <>none; the first one would last {duration(bans.nextBanMs)}</>;
  return (
    <>
      {bans.inARow} in a row; the next one would last {duration(bans.nextBanMs)}
      {bans.forgottenAtMs !== null && (
        <>
          ; forgotten <Time ms={bans.forgottenAtMs} /> unless there is another
        </>
      )}
    </>
  );
}

/** Deletes a revoked key. */
function Deletion({ of, path }: Pick<KnownProps, "of" | "path">) {
  const [isAsking, setAsking] = useState(false);
  const deletion = { title: "Delete this key…", run: () => setAsking(true) };
  useCommands([deletion]);
  const remove = async (name: string): Promise<void> => {
    await call(path, { method: "DELETE", body: { name } satisfies ConfirmedForm });
    setAsking(false);
    say(`The key ${quoted(of.name)} was deleted.`);
    // After the dialog has returned the focus.
    setTimeout(() => navigate(PARENT.href));
  };
  return (
    <Panel>
      <div class="row is-spread">
        <div>
          <h2>Delete this key</h2>
          <p class="soft">Its usage is deleted with it. Orders and the journal keep its id.</p>
        </div>
        <CommandButton of={deletion} class="is-danger">
          Delete…
        </CommandButton>
      </div>
      {isAsking && (
        <Confirm
          title="Delete this key?"
          name={of.name}
          submit="Delete permanently"
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          Everything that is kept about it is deleted, such as its usage. This cannot be undone, and takes some seconds
          if it was revoked just now.
        </Confirm>
      )}
    </Panel>
  );
}

/** Deletes a key that has been revoked; suspends or revokes any other. */
const Ending = (props: KnownProps) =>
  props.of.state === "revoked" ? <Deletion of={props.of} path={props.path} /> : <Stopping {...props} />;

/** Suspends or revokes the key. */
function Stopping(props: KnownProps) {
  const { live, of, path } = props;
  const [isRevoking, setRevoking] = useState(false);
  const resume = (): void => void orSay(command(props, "resume", "Resumed: the key works again."));
  const suspend = (): void =>
    void orSay(command(props, "suspend", "Suspended: the key does not work until you resume it.", resume));
  const pause = hasEnded(of)
    ? undefined
    : of.state === "suspended"
      ? { title: "Resume this key", run: resume, word: "Resume" }
      : { title: "Suspend this key", run: suspend, word: "Suspend" };
  const revocation = { title: "Revoke this key…", run: () => setRevoking(true) };
  useCommands([pause, revocation]);
  const revoke = async (name: string): Promise<void> => {
    live.replace(await call<KeyView>(`${path}/revoke`, { method: "POST", body: { name } satisfies ConfirmedForm }));
    setRevoking(false);
    say("Revoked: the key will never work again.");
  };
  return (
    <Panel>
      <div class="row is-spread">
        <div>
          <h2>End this key</h2>
          <p class="soft">Suspending can be undone. Revoking cannot.</p>
        </div>
        <div class="row">
          <CommandButton of={pause}>{pause?.word}</CommandButton>
          <CommandButton of={revocation} class="is-danger">
            Revoke…
          </CommandButton>
        </div>
      </div>
      {isRevoking && (
        <Confirm
          title="Revoke this key?"
          name={of.name}
          submit="Revoke permanently"
          onConfirm={revoke}
          onClose={() => setRevoking(false)}
        >
          All of its secrets stop working immediately. This cannot be undone, and its users will need another key.
        </Confirm>
      )}
    </Panel>
  );
}
