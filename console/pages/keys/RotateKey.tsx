import { useState } from "preact/hooks";
import { DAY_MS, HOUR_MS } from "../../../src/base/time/clock.ts";
import type { IssuedView, KeyView, RotateForm } from "../../../src/console/api/index.ts";
import { call } from "../../api.ts";
import { serverNow } from "../../clock.ts";
import { Dialog } from "../../components/dialogs/Dialog.tsx";
import { Form, SelectField } from "../../components/forms/Form.tsx";
import { Time } from "../../components/text.tsx";
import { Secret } from "./Secret.tsx";

const OVERLAPS = [
  { value: String(0), label: "Not at all: it stops immediately" },
  { value: String(HOUR_MS), label: "For 1 hour" },
  { value: String(DAY_MS), label: "For 1 day" },
  { value: String(7 * DAY_MS), label: "For 7 days" },
  { value: String(30 * DAY_MS), label: "For 30 days" },
];

interface RotateKeyProps {
  readonly of: KeyView;
  readonly onRotated: (key: KeyView) => void;
  readonly onClose: () => void;
}

/** Creates a new secret; the old one can keep working until clients have switched over. */
export function RotateKey({ of, onRotated, onClose }: RotateKeyProps) {
  const [overlap, setOverlap] = useState(String(DAY_MS));
  const [issued, setIssued] = useState<IssuedView | undefined>(undefined);
  async function rotate(): Promise<void> {
    const body: RotateForm = { overlapMs: Number(overlap) };
    const next = await call<IssuedView>(`/keys/${of.id}/rotate`, { method: "POST", body });
    onRotated(next.key);
    setIssued(next);
  }
  if (issued)
    return (
      <Dialog
        key="secret"
        title={
          <>
            The new secret of <bdi>{of.name}</bdi>
          </>
        }
        onClose={onClose}
        isKept
      >
        <Secret secret={issued.secret} onDone={onClose}>
          <p class="soft">
            {overlap === "0" ? (
              "The old secret has stopped working."
            ) : (
              <>
                The old secret works until <Time ms={serverNow() + Number(overlap)} />, or until the key expires.
              </>
            )}
          </p>
        </Secret>
      </Dialog>
    );
  return (
    <Dialog
      key="form"
      title={
        <>
          Rotate <bdi>{of.name}</bdi>
        </>
      }
      onClose={onClose}
    >
      <Form onSubmit={rotate} onCancel={onClose} submit="Create a new secret" fields={["overlapMs"]}>
        {(mistakeIn) => (
          <SelectField
            label="How long should the old secret keep working?"
            hint="Both secrets share the key's quotas."
            value={overlap}
            options={OVERLAPS}
            onChange={setOverlap}
            mistake={mistakeIn("overlapMs")}
          />
        )}
      </Form>
    </Dialog>
  );
}
