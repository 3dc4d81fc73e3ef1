import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CopyButton } from "../forms/CopyButton.tsx";
import { Form, TextField } from "../forms/Form.tsx";
import { Name } from "../text.tsx";
import { Dialog } from "./Dialog.tsx";

interface ConfirmProps {
  /** "Revoke this key?" */
  readonly title: string;
  /** What will be lost. */
  readonly children: ComponentChildren;
  /** What the person has to type, as it is or without spaces around it. */
  readonly name: string;
  /** "Revoke" */
  readonly submit: string;
  readonly onConfirm: (typed: string) => Promise<void>;
  readonly onClose: () => void;
}

/** For what cannot be undone: it wants the name. */
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
