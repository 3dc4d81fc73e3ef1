import { useState } from "preact/hooks";
import type { AnimalUpdateForm, AnimalView, ConfirmedForm } from "../../../src/console/api/index.ts";
import type { AnimalStatus } from "../../../src/domain/stock/animal.ts";
import { call, failureOfForm } from "../../api.ts";
import { CategoryField } from "../../components/forms/CategoryField.tsx";
import { SelectField } from "../../components/forms/Form.tsx";
import type { BulkAction } from "../../components/selection/ActionBar.tsx";
import { ActOnAll, type Many, type RowRequest } from "../../components/selection/ActOnAll.tsx";
import { type Category, categoryLabel, formOf } from "../../format/stock.ts";
import { categoryMeant, STATUS_OPTIONS } from "./AnimalForm.tsx";

// The actions on several animals at once: each sends what the page of one animal does.

interface ManyProps {
  readonly many: Many<AnimalView>;
}

/** Each is changed only if it is still as the list shows it. */
const update = (animal: AnimalView, change: Partial<AnimalUpdateForm>): Promise<unknown> => {
  const body: AnimalUpdateForm = { ...change, seen: formOf(animal) };
  return call(`/animals/${animal.id}`, { method: "PATCH", body, outlivesPage: true });
};

const remove = ({ id, name }: AnimalView): Promise<unknown> =>
  call(`/animals/${id}`, { method: "DELETE", body: { name } satisfies ConfirmedForm, outlivesPage: true });

function SetStatus({ many }: ManyProps) {
  const [status, setStatus] = useState<AnimalStatus>("available");
  return (
    <ActOnAll
      many={many}
      verb="Set the status of"
      prepare={() => ({ done: `set to ${status}`, send: (animal) => update(animal, { status }) })}
      fields={() => <SelectField label="Status" value={status} options={STATUS_OPTIONS} onChange={setStatus} />}
    >
      Animals in an open order keep their status, which follows the order.
    </ActOnAll>
  );
}

function SetCategory({ many }: ManyProps) {
  const [category, setCategory] = useState<Category | undefined>(undefined);
  const [text, setText] = useState("");
  async function prepare(): Promise<RowRequest<AnimalView>> {
    const found = await categoryMeant(category, text);
    if ("message" in found) throw failureOfForm([found]);
    const done = `put into ${categoryLabel(found)}`;
    return { done, send: (animal) => update(animal, { categoryId: found.id }) };
  }
  return (
    <ActOnAll
      many={many}
      verb="Set the category of"
      prepare={prepare}
      fieldNames={["categoryId"]}
      fields={(mistakeIn) => (
        <CategoryField
          value={category}
          onChange={(chosen, typed) => {
            setCategory(chosen);
            setText(typed);
          }}
          mistake={mistakeIn("categoryId")}
        />
      )}
    >
      Nothing else about them changes.
    </ActOnAll>
  );
}

export const ANIMAL_ACTIONS: readonly BulkAction<AnimalView>[] = [
  { verb: "Set status", canDo: () => true, ask: (many) => <SetStatus many={many} /> },
  { verb: "Set category", canDo: () => true, ask: (many) => <SetCategory many={many} /> },
  {
    verb: "Delete",
    isDanger: true,
    canDo: () => true,
    ask: (many) => (
      <ActOnAll many={many} verb="Delete" prepare={() => ({ done: "deleted", send: remove })} isFinal>
        This cannot be undone, and their ids will never be reused. Those that were ordered are refused, because their
        orders refer to them.
      </ActOnAll>
    ),
  },
];
