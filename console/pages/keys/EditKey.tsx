import { useState } from "preact/hooks";
import type { KeyEditForm, KeyView } from "../../../src/console/api/index.ts";
import { call } from "../../api.ts";
import { Dialog } from "../../components/dialogs/Dialog.tsx";
import { Form } from "../../components/forms/Form.tsx";
import { say } from "../../components/Toasts.tsx";
import { localInput } from "../../format/time.ts";
import { expiryIn, KEY_FIELDS, type KeyDraft, KeyFields, needsQuotas, quotasIn } from "./KeyFields.tsx";

const draftOf = ({ name, plan, quotas, scopes, mayRotate, expiresAtMs }: KeyView): KeyDraft => ({
  name,
  plan,
  perMinute: needsQuotas(plan) ? String(quotas.perMinute) : "",
  perDay: needsQuotas(plan) ? String(quotas.perDay) : "",
  scopes,
  mayRotate,
  expires: expiresAtMs === null ? "" : localInput(expiresAtMs),
});

/** The differences between two drafts. Untouched fields are not sent, so that no one else's change is undone. */
export function editOf(before: KeyDraft, after: KeyDraft): KeyEditForm {
  const isOther = (field: keyof KeyDraft): boolean => String(before[field]) !== String(after[field]);
  return {
    ...(isOther("name") ? { name: after.name.trim() } : {}),
    ...(isOther("plan") ? { plan: after.plan } : {}),
    ...(isOther("plan") || isOther("perMinute") || isOther("perDay") ? quotasIn(after) : {}),
    ...(isOther("scopes") ? { scopes: after.scopes } : {}),
    ...(isOther("mayRotate") ? { mayRotate: after.mayRotate } : {}),
    ...(isOther("expires") ? { expiresAtMs: expiryIn(after) } : {}),
  };
}

interface EditKeyProps {
  readonly of: KeyView;
  readonly onSaved: (key: KeyView) => void;
  readonly onClose: () => void;
}

/** Renames a key, or changes its plan, quotas, access, rotation or expiry. */
export function EditKey({ of, onSaved, onClose }: EditKeyProps) {
  const [before] = useState(() => draftOf(of));
  const [draft, setDraft] = useState(before);
  async function save(): Promise<void> {
    const edit = editOf(before, draft);
    if (Object.keys(edit).length > 0) {
      onSaved(await call<KeyView>(`/keys/${of.id}`, { method: "PATCH", body: edit }));
      say("Saved. The key's secrets and usage are unchanged.");
    }
    onClose();
  }
  return (
    <Dialog title="Edit the key" onClose={onClose}>
      <Form onSubmit={save} onCancel={onClose} submit="Save" fields={KEY_FIELDS}>
        {(mistakeIn) => <KeyFields draft={draft} onChange={setDraft} mistakeIn={mistakeIn} id={of.id} />}
      </Form>
    </Dialog>
  );
}
