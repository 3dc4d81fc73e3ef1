import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { FirstStepsView } from "../../../src/console/api/index.ts";
import { CommandButton } from "../../commands/CommandButton.tsx";
import { goingTo, useCommands } from "../../commands/registry.ts";
import { focusPage } from "../../components/dialogs/focus.ts";
import { CopyButton } from "../../components/forms/CopyButton.tsx";
import { Panel } from "../../components/layout/Page.tsx";
import { announce, say } from "../../components/Toasts.tsx";
import { quoted } from "../../format/names.ts";
import { BASE, linkTo } from "../../router.ts";
import { addressOfApi } from "../../session.ts";
import { withStorage } from "../../storage.ts";
import { AddAnimal } from "../animals/AnimalForm.tsx";
import { IssueKey } from "../keys/IssueKey.tsx";

const NAME = `${BASE} first steps`;

/** A store with animals that somebody asks for is in use, whatever key they ask with. */
const isNew = ({ hasAnimals, hasRequests }: FirstStepsView): boolean => !hasAnimals || !hasRequests;

interface FirstStepsProps {
  readonly steps: FirstStepsView;
  readonly reload: () => void;
}

/** Greets the operator of a new store. What was done meanwhile stays, ticked off, until the page is left. */
export function FirstSteps(props: FirstStepsProps) {
  const [isGreeted, setGreeted] = useState(false);
  const [isHidden, setHidden] = useState(withStorage((storage) => storage.getItem(NAME)) === "hidden");
  const isShown = !isHidden && (isGreeted || isNew(props.steps));
  useEffect(() => {
    if (isShown) setGreeted(true);
  }, [isShown]);
  if (!isShown) return null;
  const hide = (): void => {
    withStorage((storage) => storage.setItem(NAME, "hidden"));
    setHidden(true);
    focusPage();
  };
  return <Steps {...props} onHide={hide} />;
}

function Steps({ steps, reload, onHide }: FirstStepsProps & { readonly onHide: () => void }) {
  const [open, setOpen] = useState<"key" | "animal" | undefined>(undefined);
  const { hasKey, hasAnimals, hasRequests } = steps;
  const done = [hasKey, hasAnimals, hasRequests].filter(Boolean).length;
  const close = (): void => {
    setOpen(undefined);
    reload();
  };
  const hide = { title: "Hide the first steps", run: onHide };
  const issue = { title: "Issue a key", run: () => setOpen("key") };
  const add = { title: "Add an animal", run: () => setOpen("animal") };
  const command = `curl -H "Authorization: Bearer $API_KEY" ${addressOfApi()}/pets`;
  useCommands([!hasKey && issue, !hasAnimals && add, hide]);
  return (
    <Panel
      title={done === 3 ? "Your store is in use" : "First steps"}
      aside={
        <CommandButton of={hide} class="is-link small">
          Hide <span class="unseen">these steps</span>
        </CommandButton>
      }
    >
      <ol class="steps">
        <Step title="Issue a key" isDone={hasKey} actions={<CommandButton of={issue} class="is-main" />}>
          Every client of the API needs one. Its secret is shown once.
        </Step>
        <Step
          title="Add animals"
          isDone={hasAnimals}
          actions={
            <>
              <CommandButton of={add} class={hasKey ? "is-main" : undefined} />
              <CommandButton of={goingTo("Import a file", linkTo("/animals/import"))} />
            </>
          }
        >
          One by one, or from a CSV or NDJSON file.
        </Step>
        <Step title="Try a request" isDone={hasRequests} actions={<CopyButton text={command} what="command" />}>
          With the secret in <code>API_KEY</code>, on a command line: <code class="path">{command}</code>
        </Step>
      </ol>
      {open === "key" && <IssueKey onClose={close} />}
      {open === "animal" && (
        <AddAnimal
          category={undefined}
          onClose={close}
          onAdded={({ id, name }) => say(`Added ${quoted(name)} with id ${id}.`)}
        />
      )}
    </Panel>
  );
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly actions: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Once it is done, it has nothing left to press. */
function Step({ title, isDone, actions, children }: StepProps) {
  const [wasDone] = useState(isDone);
  useEffect(() => {
    if (isDone && !wasDone) announce(`Done: ${title}.`);
  }, [isDone]);
  return (
    <li class={isDone ? "is-done" : undefined}>
      <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="9" />
        {isDone && <path d="m6 10.5 2.7 2.7L14 7.5" />}
      </svg>
      <div>
        <h3>
          {title}
          {isDone && <span class="unseen"> done</span>}
        </h3>
        <p class="soft">{children}</p>
      </div>
      {!isDone && <div class="row">{actions}</div>}
    </li>
  );
}
