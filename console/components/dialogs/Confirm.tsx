import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CopyButton } from "../forms/CopyButton.tsx";
import { Form, TextField } from "../forms/Form.tsx";
import { Name } from "../text.tsx";
import { Dialog } from "./Dialog.tsx";

interface ConfirmProps {
  /** "Revoke this key?" */
  readonly title: string;
  /** Says what will be lost. */
  readonly children: ComponentChildren;
  /** The name to type; spaces around it are ignored. */
  readonly name: string;
  /** "Revoke" */
  readonly submit: string;
  readonly onConfirm: (typed: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Confirms an irreversible action: the user has to type the name. */
export function Confirm({ title, children, name, submit, onConfirm, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState("");
  const isTyped = typed === name || typed.trim() === name.trim();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <Form
        onSubmit={() => onConfirm(name)}
        onCancel={onClose}
        submit={submit}
        isDanger
        isReady={isTyped}
        fields={["name"]}
      >
        {(mistakeIn) => (
          <>
            <div class="command">
              <Name>{name}</Name>
              <CopyButton text={name} what="name" />
            </div>
            <TextField
              label="Type the name to confirm"
              value={typed}
              onChange={setTyped}
              mistake={mistakeIn("name")}
              isFocused
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
