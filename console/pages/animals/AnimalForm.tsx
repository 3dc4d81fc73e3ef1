import { useState } from "preact/hooks";
import { Mistake } from "../../../src/base/mistake.ts";
import type { AnimalForm, AnimalUpdateForm, AnimalView, FieldMistakeView } from "../../../src/console/api/index.ts";
import { ANIMAL_STATUSES, NEW_ANIMAL_FIELDS } from "../../../src/domain/stock/animal.ts";
import { call, Failure, failureOfForm } from "../../api.ts";
import { Dialog } from "../../components/dialogs/Dialog.tsx";
import { CategoryField } from "../../components/forms/CategoryField.tsx";
import { findCategory } from "../../components/forms/CategoryPicker.tsx";
import { Form, SelectField, TextField } from "../../components/forms/Form.tsx";
import { say } from "../../components/Toasts.tsx";
import { capitalized } from "../../format/keys.ts";
import { quoted } from "../../format/names.ts";
import { type Category, categoryOf, differences, formOf, rebased, updateOf } from "../../format/stock.ts";

// The forms to add an animal and to edit one.

const FIELDS = ["name", "categoryId", "status"];
export const STATUS_OPTIONS = ANIMAL_STATUSES.map((value) => ({ value, label: capitalized(value) }));

/** The form's fields as typed. */
interface Draft extends Omit<AnimalForm, "categoryId"> {
  readonly category: Category | undefined;
  readonly categoryText: string;
}

const draftOf = (animal: AnimalView): Draft => ({
  name: animal.name,
  status: animal.status,
  category: categoryOf(animal),
  categoryText: "",
});

/** The category that was chosen, or that the text means. */
export async function categoryMeant(chosen: Category | undefined, text: string): Promise<Category | FieldMistakeView> {
  const found = chosen ?? (text === "" ? undefined : await findCategory(text));
  const problem = text === "" ? "The category is missing." : `No category is called ${quoted(text)}.`;
  return found ?? { field: "categoryId", message: `${problem} Choose a suggestion, or enter a number.` };
}

/** Completes a draft. Throws a Failure with all mistakes. */
async function filledIn({ name, status, category, categoryText }: Draft): Promise<AnimalForm> {
  const found = await categoryMeant(category, categoryText);
  const failure = failureOfForm([mistakeInName(name), "message" in found && found]);
  if (failure || "message" in found) throw failure;
  return { name: name.trim(), categoryId: found.id, status };
}

/** Applies the server's rule: it would not see the name before the category is right. */
function mistakeInName(name: string): FieldMistakeView | undefined {
  if (name.trim() === "") return { field: "name", message: "The name is missing. Fill it in." };
  const parsed = NEW_ANIMAL_FIELDS.name.parse(name.trim());
  return parsed instanceof Mistake ? { field: "name", message: `The name ${parsed.text}.` } : undefined;
}

interface AnimalFieldsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly mistakeIn: (field: string) => string | undefined;
}

const AnimalFields = ({ draft, onChange, mistakeIn }: AnimalFieldsProps) => (
  <>
    <TextField
      label="Name"
      value={draft.name}
      onChange={(name) => onChange({ ...draft, name })}
      mistake={mistakeIn("name")}
      isFocused
    />
    <CategoryField
      value={draft.category}
      onChange={(category, categoryText) => onChange({ ...draft, category, categoryText })}
      mistake={mistakeIn("categoryId")}
    />
    <SelectField
      label="Status"
      value={draft.status}
      options={STATUS_OPTIONS}
      onChange={(status) => onChange({ ...draft, status })}
      mistake={mistakeIn("status")}
    />
  </>
);

interface AddAnimalProps {
  /** The category that the list is filtered by. */
  readonly category: Category | undefined;
  readonly onAdded: (animal: AnimalView) => void;
  readonly onClose: () => void;
}

export function AddAnimal({ category, onAdded, onClose }: AddAnimalProps) {
  const [draft, setDraft] = useState<Draft>({ name: "", status: "available", category, categoryText: "" });
  async function add(): Promise<void> {
    const animal = await call<AnimalView>("/animals", { method: "POST", body: await filledIn(draft) });
    onClose();
    onAdded(animal);
  }
  return (
    <Dialog title="Add an animal" onClose={onClose}>
      <Form onSubmit={add} onCancel={onClose} submit="Add" fields={FIELDS}>
        {(mistakeIn) => <AnimalFields draft={draft} onChange={setDraft} mistakeIn={mistakeIn} />}
      </Form>
    </Dialog>
  );
}

interface UpdateAnimalProps {
  readonly of: AnimalView;
  readonly onSaved: (animal: AnimalView) => void;
  readonly onClose: () => void;
}

/** Edits the animal as it was when the form was opened. On a conflict, shows the other changes, and asks again. */
export function UpdateAnimal({ of, onSaved, onClose }: UpdateAnimalProps) {
  const [seen, setSeen] = useState(of);
  const [draft, setDraft] = useState(() => draftOf(of));
  async function save(): Promise<void> {
    const form = await filledIn(draft);
    const update = updateOf(formOf(seen), form);
    if (Object.keys(update).length === 0) return onClose();
    const body: AnimalUpdateForm = { ...update, seen: formOf(seen) };
    try {
      onSaved(await call<AnimalView>(`/animals/${of.id}`, { method: "PATCH", body }));
    } catch (error) {
      throw error instanceof Failure && error.code === "changed_meanwhile" ? await takeOver(form) : error;
    }
    onClose();
    say("Saved.");
  }
  async function takeOver(form: AnimalForm): Promise<Failure> {
    const now = await call<AnimalView>(`/animals/${of.id}`);
    const next = rebased(form, formOf(seen), formOf(now));
    setSeen(now);
    setDraft({
      ...next,
      category: next.categoryId === now.categoryId ? categoryOf(now) : draft.category,
      categoryText: "",
    });
    onSaved(now);
    const changes = differences(formOf(seen), formOf(now));
    return new Failure(
      409,
      "changed_meanwhile",
      `Someone else has changed this animal in the meantime: ${changes}. Nothing has been saved yet. Review your changes, which are still in the form, and save again.`,
    );
  }
  return (
    <Dialog title="Edit the animal" onClose={onClose}>
      <Form onSubmit={save} onCancel={onClose} submit="Save" fields={FIELDS}>
        {(mistakeIn) => <AnimalFields draft={draft} onChange={setDraft} mistakeIn={mistakeIn} />}
      </Form>
    </Dialog>
  );
}
