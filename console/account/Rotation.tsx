import { useState } from "preact/hooks";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/base/time/clock.ts";
import { Dialog } from "../components/dialogs/Dialog.tsx";
import { SelectField } from "../components/forms/Form.tsx";
import { Panel } from "../components/layout/Page.tsx";
import { Time } from "../components/text.tsx";
import { Secret } from "../pages/keys/Secret.tsx";
import { type AskFailure, ask, failureOf } from "./ask.ts";
import { Failed, useIsLimited } from "./Failed.tsx";
import { forget } from "./held-key.ts";
import type { OwnKey, RotatedKey } from "./wire.ts";

interface RotationProps {
  readonly of: OwnKey;
  readonly secret: string;
  readonly isWaiting: boolean;
  /** The page goes on with the new secret. */
  readonly onRotated: (secret: string) => void;
}

/** Gives the key a new secret, if the operator allows it. */
export function Rotation(props: RotationProps) {
  const [isOpen, setOpen] = useState(false);
  const { of, isWaiting } = props;
  return (
    <Panel title="The secret">
      {of.rotation ? (
        <div class="row is-spread">
          <p class="soft">
            Has it leaked, or been in use for long? Give the key a new one; the old one works a while longer.
          </p>
          <button type="button" aria-disabled={isWaiting} onClick={() => !isWaiting && setOpen(true)}>
            Rotate the secret…
          </button>
        </div>
      ) : (
        <p class="soft">
          The operator has not allowed this key to rotate its own secret. If it has leaked, ask the operator for a new
          one at once.
        </p>
      )}
      {isOpen && <RotateDialog {...props} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

const secondsIn = (ms: number): string => String(ms / SECOND_MS);

const OVERLAPS = [
  { value: secondsIn(MINUTE_MS), label: "For 1 minute: it has leaked" },
  { value: secondsIn(HOUR_MS), label: "For 1 hour" },
  { value: secondsIn(DAY_MS), label: "For 1 day" },
  { value: secondsIn(7 * DAY_MS), label: "For 7 days" },
];

/** Over plain HTTP, browsers have no randomUUID. */
const newIdempotencyKey = (): string => crypto.getRandomValues(new Uint8Array(16)).toHex();

function RotateDialog({ secret, onRotated, onClose }: RotationProps & { readonly onClose: () => void }) {
  const [overlap, setOverlap] = useState(secondsIn(DAY_MS));
  // The same for every attempt with one overlap: a response that was lost is sent again.
  const [attempt, setAttempt] = useState(newIdempotencyKey);
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  const [rotated, setRotated] = useState<RotatedKey | undefined>(undefined);
  const [isAsking, setAsking] = useState(false);
  const isWaiting = useIsLimited(failure) || isAsking;

  async function rotate(): Promise<void> {
    setAsking(true);
    try {
      const body = { overlapSeconds: Number(overlap) };
      setRotated(await ask<RotatedKey>(secret, "/key/rotate", { method: "POST", body, idempotencyKey: attempt }));
    } catch (error) {
      const failed = failureOf(error);
      if (failed.status === 401) return forget(failed.message);
      setFailure(failed);
    } finally {
      setAsking(false);
    }
  }
  if (rotated) {
    const done = (): void => {
      onRotated(rotated.secret);
      onClose();
    };
    return (
      <Dialog key="secret" title="The new secret" onClose={done} isKept>
        <Secret secret={rotated.secret} onDone={done}>
          <p class="soft">
            The old secret works until <Time ms={Date.parse(rotated.oldSecretExpiresAt)} />. This page uses the new one
            from now on.
          </p>
        </Secret>
      </Dialog>
    );
  }
  return (
    <Dialog key="form" title="Rotate the secret" onClose={onClose}>
      <p class="notice">
        <span>
          <b>Whoever has stolen the secret can rotate it as well,</b> and only the newest one rotates. If you are told
          that yours was replaced and it was not you, ask the operator at once: they see every rotation, can end all
          secrets of the key, and give you a new one.
        </span>
      </p>
      <SelectField
        label="How long should the old secret keep working?"
        hint="Both share the key's quotas. Five rotations are possible in 24 hours."
        value={overlap}
        options={OVERLAPS}
        onChange={(value) => {
          setOverlap(value);
          setAttempt(newIdempotencyKey());
        }}
        mistake={undefined}
      />
      {failure && <Failed failure={failure} />}
      <div class="dialog-buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="is-main" aria-disabled={isWaiting} onClick={() => !isWaiting && void rotate()}>
          {isAsking ? "Rotating…" : "Create a new secret"}
        </button>
      </div>
    </Dialog>
  );
}
