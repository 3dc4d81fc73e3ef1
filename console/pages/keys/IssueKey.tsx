import { useState } from "preact/hooks";
import type { IssuedView, NewKeyForm } from "../../../src/console/api/index.ts";
import { call } from "../../api.ts";
import { Dialog } from "../../components/dialogs/Dialog.tsx";
import { Form } from "../../components/forms/Form.tsx";
import { linkTo, navigate } from "../../router.ts";
import { FirstRequests } from "./FirstRequests.tsx";
import { expiryIn, KEY_FIELDS, type KeyDraft, KeyFields, NEW_DRAFT, quotasIn } from "./KeyFields.tsx";
import { Secret } from "./Secret.tsx";

const formOf = (draft: KeyDraft): NewKeyForm => ({
  name: draft.name.trim(),
  plan: draft.plan,
  ...quotasIn(draft),
  scopes: draft.scopes,
  mayRotate: draft.mayRotate,
  expiresAtMs: expiryIn(draft),
});

/** Asks for the fields of a new key, then shows its secret. */
export function IssueKey({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState<KeyDraft>(NEW_DRAFT);
  const [issued, setIssued] = useState<IssuedView | undefined>(undefined);
  const issue = async (): Promise<void> =>
    setIssued(await call<IssuedView>("/keys", { method: "POST", body: formOf(draft) }));
  if (issued) {
    const done = (): void => {
      onClose();
      setTimeout(() => navigate(linkTo(`/keys/${issued.key.id}`)));
    };
    return (
      <Dialog
        key="secret"
        title={
          <>
            The secret of <bdi>{issued.key.name}</bdi>
          </>
        }
        onClose={onClose}
        isKept
      >
        <Secret secret={issued.secret} onDone={done}>
          <FirstRequests issued={issued} />
        </Secret>
      </Dialog>
    );
  }
  return (
    <Dialog key="form" title="Issue a key" onClose={onClose}>
      <Form onSubmit={issue} onCancel={onClose} submit="Issue" fields={KEY_FIELDS}>
        {(mistakeIn) => <KeyFields draft={draft} onChange={setDraft} mistakeIn={mistakeIn} />}
      </Form>
    </Dialog>
  );
}
