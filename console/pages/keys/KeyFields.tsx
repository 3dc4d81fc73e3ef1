import { useEffect, useState } from "preact/hooks";
import { DAY_MS } from "../../../src/base/time/clock.ts";
import type { KeyListView, ListedKeyView } from "../../../src/console/api/index.ts";
import { PLANS, type Plan } from "../../../src/domain/keys/plan.ts";
import { SCOPES, type Scope } from "../../../src/domain/keys/scope.ts";
import { now, serverNow } from "../../clock.ts";
import { Check, Choices, TextField } from "../../components/forms/Form.tsx";
import { accessText } from "../../format/keys.ts";
import { ahead, localInput, upToMinute, viewersZone } from "../../format/time.ts";
import { useLive } from "../../live.ts";
import { withParams } from "../../router.ts";
import { PlanField } from "./PlanField.tsx";

// The form fields of a key, for issuing and editing.

/** The form's fields as typed. */
export interface KeyDraft {
  readonly name: string;
  readonly plan: Plan;
  readonly perMinute: string;
  readonly perDay: string;
  readonly scopes: readonly Scope[];
  readonly mayRotate: boolean;
  /** Empty if it never expires. */
  readonly expires: string;
}

export const NEW_DRAFT: KeyDraft = {
  name: "",
  plan: "free",
  perMinute: "",
  perDay: "",
  scopes: SCOPES,
  mayRotate: false,
  expires: "",
};

export const KEY_FIELDS = ["name", "plan", "perMinute", "perDay", "scopes", "mayRotate", "expiresAtMs"];

/** True if a plan has no quotas of its own, so that each key needs them. */
export const needsQuotas = (plan: Plan): boolean => PLANS[plan] === undefined;

// The server finds all mistakes at once, so that what is no number or time is sent as one that it refuses.

/** The quotas of a draft whose plan has none. */
export function quotasIn({ plan, perMinute, perDay }: KeyDraft): { perMinute: number; perDay: number } | undefined {
  return needsQuotas(plan) ? { perMinute: quota(perMinute), perDay: quota(perDay) } : undefined;
}

const quota = (text: string): number => (/^\d{1,10}$/.test(text.trim()) ? Number(text) : 0);

export function expiryIn({ expires }: KeyDraft): number | null {
  if (expires === "") return null;
  const ms = new Date(expires).getTime();
  return Number.isNaN(ms) ? 0 : ms;
}

const SCOPE_LABELS: Readonly<Record<Scope, string>> = {
  "pets:read": "Read pets",
  "pets:write": "Write pets",
  "orders:read": "Read orders",
  "orders:write": "Write orders",
};

/** Zero days: it never expires. */
const EXPIRY_PRESETS = [
  { label: "In 30 days", days: 30 },
  { label: "In 90 days", days: 90 },
  { label: "In a year", days: 365 },
  { label: "Never", days: 0 },
];

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
  readonly mistakeIn: (field: string) => string | undefined;
  /** The id of the key that is edited, if any. */
  readonly id?: string;
}

const TYPING_MS = 300;

/** Other keys with the name that is typed, once the user stops typing. */
function useNamesakes(name: string, id: string | undefined): readonly ListedKeyView[] {
  const [settled, setSettled] = useState(name.trim());
  useEffect(() => {
    const timer = setTimeout(() => setSettled(name.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [name]);
  const live = useLive<KeyListView>(settled === "" ? undefined : withParams("/keys", { name: settled }));
  return live.isStale ? [] : (live.data?.keys ?? []).filter((key) => key.id !== id);
}

/** Names may be shared: then only ids tell keys apart. */
const NameHint = ({ namesakes }: { readonly namesakes: readonly ListedKeyView[] }) =>
  namesakes.length === 0 ? (
    <>Who or what will use it.</>
  ) : (
    <span class="warning" role="status">
      {namesakes.length === 1 ? "Another key has this name" : `${namesakes.length} other keys have this name`}
      {namesakes.length === 1 && `, ${namesakes[0]?.id}`}. Only their ids will tell them apart.
    </span>
  );

export function KeyFields({ draft, onChange, mistakeIn, id }: KeyFieldsProps) {
  const namesakes = useNamesakes(draft.name, id);
  const change = (changes: Partial<KeyDraft>): void => onChange({ ...draft, ...changes });
  return (
    <>
      <TextField
        label="Name"
        hint={<NameHint namesakes={namesakes} />}
        value={draft.name}
        onChange={(name) => change({ name })}
        mistake={mistakeIn("name")}
        isFocused
      />
      <PlanField
        value={draft.plan}
        onChange={(plan) => change({ plan })}
        mistake={mistakeIn("plan")}
        perMinute={quotasIn(draft)?.perMinute ?? 0}
        id={id}
      />
      {needsQuotas(draft.plan) && (
        <div class="fields-side">
          <TextField
            label="Requests per minute"
            type="number"
            min={1}
            value={draft.perMinute}
            onChange={(perMinute) => change({ perMinute })}
            mistake={mistakeIn("perMinute")}
          />
          <TextField
            label="Requests per day"
            type="number"
            min={1}
            value={draft.perDay}
            onChange={(perDay) => change({ perDay })}
            mistake={mistakeIn("perDay")}
          />
        </div>
      )}
      <Choices
        label="Access"
        hint={accessText(draft.scopes)}
        options={SCOPES.map((scope) => ({ value: scope, label: SCOPE_LABELS[scope] }))}
        chosen={draft.scopes}
        onChange={(scopes) => change({ scopes })}
        mistake={mistakeIn("scopes")}
      />
      <Check
        label="The holder may rotate the secret"
        hint="On the page /account, or with POST /v1/key/rotate. Whoever steals the secret can do it as well."
        isChecked={draft.mayRotate}
        onChange={(mayRotate) => change({ mayRotate })}
      />
      <TextField
        label="Expires"
        type="datetime-local"
        min={localInput(serverNow())}
        hint={<ExpiryHint expires={draft.expires} />}
        value={draft.expires}
        onChange={(expires) => change({ expires })}
        mistake={mistakeIn("expiresAtMs")}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend, which repeats the field's label */}
      <div class="row presets" role="group" aria-label="Set the expiry">
        {EXPIRY_PRESETS.map(({ label, days }) => (
          <button
            key={label}
            type="button"
            class="is-link small"
            onClick={() => change({ expires: days === 0 ? "" : localInput(upToMinute(serverNow() + days * DAY_MS)) })}
          >
            {label}
          </button>
        ))}
      </div>
    </>
  );
}

/** Says that it never expires, or how long it is until then. */
function ExpiryHint({ expires }: { readonly expires: string }) {
  const ms = new Date(expires).getTime();
  if (expires === "" || Number.isNaN(ms)) return <>Never, unless you set a date ({viewersZone()}).</>;
  return (
    <>
      {ms > now.value ? `It expires ${ahead(ms, now.value)}` : "That is in the past"} ({viewersZone()}).
    </>
  );
}
