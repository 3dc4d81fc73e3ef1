import { PLAN_NAMES, PLANS, type Plan, QUOTA_MAX } from "../../../src/domain/keys/plan.ts";
import { SCOPES, type Scope } from "../../../src/domain/keys/scope.ts";
import { Failure } from "../../api.ts";
import { now, serverNow } from "../../clock.ts";
import { Choices, SelectField, TextField } from "../../components/forms/Form.tsx";
import { accessText, planText } from "../../format/keys.ts";
import { grouped } from "../../format/numbers.ts";
import { ahead, localInput, viewersZone } from "../../format/time.ts";

// The form fields of a key, for issuing and editing.

/** The form's fields as typed. */
export interface KeyDraft {
  readonly name: string;
  readonly plan: Plan;
  readonly perMinute: string;
  readonly perDay: string;
  readonly scopes: readonly Scope[];
  /** Empty if it never expires. */
  readonly expires: string;
}

export const NEW_DRAFT: KeyDraft = { name: "", plan: "free", perMinute: "", perDay: "", scopes: SCOPES, expires: "" };

export const KEY_FIELDS = ["name", "plan", "perMinute", "perDay", "scopes", "expiresAtMs"];

/** True if a plan has no quotas of its own, so that each key needs them. */
export const needsQuotas = (plan: Plan): boolean => PLANS[plan] === undefined;

/** The quotas of a draft whose plan has none. Throws a Failure for an invalid one. */
export function quotasIn({ plan, perMinute, perDay }: KeyDraft): { perMinute: number; perDay: number } | undefined {
  if (!needsQuotas(plan)) return undefined;
  return { perMinute: quota(perMinute, "perMinute"), perDay: quota(perDay, "perDay") };
}

function quota(text: string, field: string): number {
  const requests = /^\d{1,10}$/.test(text.trim()) ? Number(text) : 0;
  if (requests >= 1 && requests <= QUOTA_MAX) return requests;
  throw new Failure(400, "invalid_quota", `Enter a whole number from 1 to ${grouped(QUOTA_MAX)}.`, field);
}

export function expiryIn({ expires }: KeyDraft): number | null {
  if (expires === "") return null;
  const ms = new Date(expires).getTime();
  if (Number.isNaN(ms))
    throw new Failure(400, "invalid_expiry", "Enter a date and a time, or leave the field empty.", "expiresAtMs");
  return ms;
}

const SCOPE_LABELS: Readonly<Record<Scope, string>> = {
  "pets:read": "Read pets",
  "pets:write": "Write pets",
  "orders:read": "Read orders",
  "orders:write": "Write orders",
};

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
  readonly mistakeIn: (field: string) => string | undefined;
}

export function KeyFields({ draft, onChange, mistakeIn }: KeyFieldsProps) {
  const change = (changes: Partial<KeyDraft>): void => onChange({ ...draft, ...changes });
  return (
    <>
      <TextField
        label="Name"
        hint="Who or what will use it."
        value={draft.name}
        onChange={(name) => change({ name })}
        mistake={mistakeIn("name")}
        isFocused
      />
      <SelectField
        label="Plan"
        value={draft.plan}
        options={PLAN_NAMES.map((plan) => ({ value: plan, label: planText(plan) }))}
        onChange={(plan) => change({ plan })}
        mistake={mistakeIn("plan")}
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
      <TextField
        label="Expires"
        type="datetime-local"
        min={localInput(serverNow())}
        hint={<ExpiryHint expires={draft.expires} />}
        value={draft.expires}
        onChange={(expires) => change({ expires })}
        mistake={mistakeIn("expiresAtMs")}
      />
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
