import type { RequestOfKeyView } from "../../../src/console/api/index.ts";
import { CopyButton } from "../../components/forms/CopyButton.tsx";
import { Facts, Page, Panel } from "../../components/layout/Page.tsx";
import { PageOfOne } from "../../components/layout/PageOfOne.tsx";
import { Outdated } from "../../components/layout/states.tsx";
import { Badge } from "../../components/tables/StateBadge.tsx";
import { Name, Time } from "../../components/text.tsx";
import { measured } from "../../format/numbers.ts";
import { outcomeLabel } from "../../format/requests.ts";
import { type Live, useLive } from "../../live.ts";
import { linkTo } from "../../router.ts";

/** One request of a key, and what was wrong with it. */
export function Request({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const [id, request] = [params.id, params.request].map((part) => encodeURIComponent(part as string));
  const live = useLive<RequestOfKeyView>(`/keys/${id}/requests/${request}`);
  const parent = { title: live.data?.keyName ?? "Key", href: linkTo(`/keys/${id}`) };
  return (
    <PageOfOne live={live} title="Request" what="the request" parent={parent}>
      {(of) => <Known live={live} of={of} parent={parent} />}
    </PageOfOne>
  );
}

interface KnownProps {
  readonly live: Live<RequestOfKeyView>;
  readonly of: RequestOfKeyView;
  readonly parent: { readonly title: string; readonly href: string };
}

const Known = ({ live, of, parent }: KnownProps) => (
  <Page title={`${of.method} ${of.path}`} badge={<Badge {...outcomeLabel(of)} />} parent={parent}>
    {live.error !== undefined && <Outdated error={live.error} />}
    {of.message !== null && (
      <Panel title="What was wrong">
        <p>
          <bdi>{of.message}</bdi>
        </p>
        <p class="soft small">This is the message that the client got.</p>
      </Panel>
    )}
    <Panel title="Details">
      <Facts
        facts={[
          ["Time", <Time key="time" ms={of.atMs} as="second" />],
          ["Status", String(of.status)],
          ...(of.code === null ? [] : [["Code", <code key="code">{of.code}</code>] as const]),
          ["Took", measured(of.latencyMs)],
          ["Request id", <Copyable key="request" text={of.requestId} what="request id" />],
          ...(of.idempotencyKey === null
            ? []
            : [["Idempotency key", <Copyable key="idem" text={of.idempotencyKey} what="idempotency key" />] as const]),
          [
            "Key",
            <a key="key" href={parent.href}>
              <Name>{of.keyName}</Name>
            </a>,
          ],
        ]}
      />
      <p class="soft small">The query, the body and the address that it came from are not kept.</p>
    </Panel>
  </Page>
);

const Copyable = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <span class="row">
    <code class="path">{text}</code>
    <CopyButton text={text} what={what} />
  </span>
);
