import { choiceField, maybe, partial } from "../../../base/json/fields.ts";
import { OperatorError } from "../../../base/operator-error.ts";
import { done, type Result } from "../../../base/result.ts";
import { isKeyId, type Key } from "../../../domain/keys/key.ts";
import { PLAN_NAMES } from "../../../domain/keys/plan.ts";
import { SCOPES } from "../../../domain/keys/scope.ts";
import { deleteKey } from "../../../keys/delete.ts";
import { editKey } from "../../../keys/edit.ts";
import { issueKey } from "../../../keys/issue.ts";
import { type ShownKey, showKey } from "../../../keys/queries/show.ts";
import { usageOfKeyInPeriod } from "../../../keys/queries/usage-of-period.ts";
import { trueStateOf, useOf } from "../../../keys/queries/use.ts";
import { revokeKey } from "../../../keys/revoke.ts";
import { rotateKey } from "../../../keys/rotate.ts";
import { resumeKey, suspendKey } from "../../../keys/suspend.ts";
import { unbanKey } from "../../../keys/unban.ts";
import type { IssuedView, KeyView } from "../../api/index.ts";
import { periodOf } from "../../cached/periods.ts";
import { afterChange, ConsoleFault } from "../../fault.ts";
import { CONFIRMED_FORM, isSameName, wrongName } from "../../forms/confirmation.ts";
import { booleanField, listField, numberField, orNull, plainTextField, withForm } from "../../forms/forms.ts";
import { type KeyRefusal, keyFault, NO_SUCH_KEY } from "../../forms/key-messages.ts";
import type { ConsoleCall, ConsoleHandler, ConsoleParts, SignedIn } from "../../handler.ts";
import { authorOf } from "../author.ts";
import { notKept, periodIn, seriesView } from "../usage-views.ts";
import { keyView } from "./views.ts";

/** The parts of the use-cases of keys, for the person who is signed in. */
const partsFor = ({ store, counters, clock, settings }: ConsoleParts, session: SignedIn) => ({
  keys: store.keys,
  counters,
  clock,
  environment: settings.environment,
  author: authorOf(session),
});

export async function viewOfKey(
  parts: ConsoleParts,
  session: SignedIn,
  { params }: Pick<ConsoleCall, "params">,
): Promise<KeyView | ConsoleFault> {
  const { id = "" } = params;
  if (!isKeyId(id)) return NO_SUCH_KEY;
  const useCase = partsFor(parts, session);
  try {
    return viewIn(await showKey(useCase, id), true);
  } catch (error) {
    // Redis does not answer: everything but the counters can be shown.
    if (!(error instanceof OperatorError)) throw error;
    return viewIn(await showKey({ ...useCase, counters: async () => done(async () => new Map()) }, id), false);
  }
}

const viewIn = (shown: Result<ShownKey, KeyRefusal>, isCountKnown: boolean): KeyView | ConsoleFault =>
  shown.kind === "refused" ? keyFault(shown.reason) : keyView(shown.value, isCountKnown);

export const usageOfOneKey: ConsoleHandler = async ({ store, clock }, _, { params: { id = "" }, query }) => {
  const nowMs = clock.nowMs();
  const chosen = periodIn(query, nowMs);
  if (chosen instanceof ConsoleFault) return chosen;
  if (!isKeyId(id) || !(await store.keys.get(id))) return NO_SUCH_KEY;
  const report = await usageOfKeyInPeriod({ usage: store.usage, clock }, id, periodOf(chosen, nowMs));
  return report.kind === "done" ? seriesView(report.value) : notKept(report.reason);
};

// Changes. Each is a use-case, and answers with the changed key.

const KEY_FORM = {
  name: plainTextField,
  plan: choiceField(PLAN_NAMES),
  perMinute: maybe(numberField),
  perDay: maybe(numberField),
  scopes: listField(SCOPES),
  mayRotate: maybe(booleanField),
  expiresAtMs: orNull(numberField),
};

export const issue = withForm(KEY_FORM, async (parts, session, wanted) => {
  const issued = await issueKey(partsFor(parts, session), wanted);
  if (issued.kind === "refused") return keyFault(issued.reason);
  return withSecret(parts, session, issued.value);
});

export const edit = withForm(partial(KEY_FORM), (parts, session, wanted, { params }) =>
  changed(parts, session, params, (useCase, idOrName) => editKey(useCase, { ...wanted, idOrName })),
);

const ROTATE_FORM = { overlapMs: numberField };

export const rotate = withForm(ROTATE_FORM, async (parts, session, wanted, { params: { id = "" } }) => {
  if (!isKeyId(id)) return NO_SUCH_KEY;
  const rotated = await rotateKey(partsFor(parts, session), { ...wanted, idOrName: id });
  return rotated.kind === "refused" ? keyFault(rotated.reason) : withSecret(parts, session, rotated.value);
});

/** The secret is in no other response, and in no log, so no failure may withhold it. */
async function withSecret(
  parts: ConsoleParts,
  session: SignedIn,
  { key, secret }: { readonly key: Key; readonly secret: string },
): Promise<IssuedView | ConsoleFault> {
  const view = await viewOfKey(parts, session, { params: { id: key.id } }).catch((error: unknown) => {
    parts.failures.report("console: a key cannot be shown with its new secret", error);
    return viewOfNew(parts, key);
  });
  return view instanceof ConsoleFault ? view : { key: view, secret };
}

/** The view of a new key, as far as it is known without the store. */
function viewOfNew({ clock }: ConsoleParts, key: Key): KeyView {
  const nowMs = clock.nowMs();
  const secrets = [{ createdAtMs: nowMs, worksUntilMs: key.expiresAtMs }];
  return keyView({ key, state: trueStateOf(key, undefined, nowMs), secrets, use: useOf(key, undefined, nowMs) }, false);
}

export const suspend: ConsoleHandler = (parts, session, { params }) => changed(parts, session, params, suspendKey);
export const resume: ConsoleHandler = (parts, session, { params }) => changed(parts, session, params, resumeKey);

export const unban: ConsoleHandler = async (parts, session, { params }) => {
  try {
    return await changed(parts, session, params, unbanKey);
  } catch (error) {
    // Redis does not answer: the ban is lifted all the same, but the counters cannot be shown.
    if (!(error instanceof OperatorError)) throw error;
    return viewOfKey(parts, session, { params });
  }
};

/** Cannot be undone, so the name has to be typed. */
export const revoke = withForm(CONFIRMED_FORM, async (parts, session, confirmed, { params }) => {
  const { id = "" } = params;
  const key = isKeyId(id) ? await parts.store.keys.get(id) : undefined;
  if (!key) return NO_SUCH_KEY;
  if (!isSameName(confirmed.name, key.name)) return wrongName("key", key.name);
  return changed(parts, session, params, revokeKey);
});

/** Cannot be undone either. It waits until no request with the key can be in progress. */
export const remove = withForm(CONFIRMED_FORM, async (parts, session, confirmed, { params: { id = "" } }) => {
  const key = isKeyId(id) ? await parts.store.keys.get(id) : undefined;
  if (!key) return NO_SUCH_KEY;
  if (!isSameName(confirmed.name, key.name)) return wrongName("key", key.name);
  const { maintenance } = parts.store;
  const deleted = await deleteKey({ ...partsFor(parts, session), maintenance, sleep: Bun.sleep }, id);
  return deleted.kind === "refused" ? keyFault(deleted.reason) : undefined;
});

async function changed(
  parts: ConsoleParts,
  session: SignedIn,
  params: ConsoleCall["params"],
  change: (useCase: ReturnType<typeof partsFor>, id: string) => Promise<Result<unknown, KeyRefusal>>,
): Promise<KeyView | ConsoleFault> {
  const { id = "" } = params;
  if (!isKeyId(id)) return NO_SUCH_KEY;
  const result = await change(partsFor(parts, session), id);
  return result.kind === "refused" ? keyFault(result.reason) : afterChange(viewOfKey(parts, session, { params }));
}
