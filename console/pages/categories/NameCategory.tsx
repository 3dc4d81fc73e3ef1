import { useState } from "preact/hooks";
import { parseInt64 } from "../../../src/base/json/int64.ts";
import type { CategoryView } from "../../../src/console/api/index.ts";
import { call, failureOfForm, sentenceOf } from "../../api.ts";
import { Dialog } from "../../components/dialogs/Dialog.tsx";
import { Form, TextField } from "../../components/forms/Form.tsx";
import { say } from "../../components/Toasts.tsx";
import { quoted } from "../../format/names.ts";
import { type Category, categoryLabel } from "../../format/stock.ts";

interface NameCategoryProps {
  /** If undefined, the form asks for the number, too. */
  readonly of: Category | undefined;
  readonly onNamed: (category: CategoryView) => void;
  readonly onClose: () => void;
}

const put = (id: string, name: string): Promise<CategoryView> =>
  call<CategoryView>(`/categories/${id}`, { method: "PUT", body: { name } });

/** Names or renames a category. */
export function NameCategory({ of, onNamed, onClose }: NameCategoryProps) {
  const [id, setId] = useState(of?.id ?? "");
  const [name, setName] = useState(of?.name ?? "");
  async function save(): Promise<void> {
    const number = id.trim();
    const failure = failureOfForm([
      parseInt64(number) === undefined && {
        field: "categoryId",
        message: "A category is a whole number, such as 12. Enter its number.",
      },
      name.trim() === "" && { field: "name", message: "The name is missing. Fill it in." },
    ]);
    if (failure) throw failure;
    const category = await put(number, name.trim());
    onClose();
    onNamed(category);
    say(`Category ${category.id} is now called ${quoted(category.name)}.`);
  }
  const title = of ? (of.name === null ? `Name category ${of.id}` : `Rename category ${of.id}`) : "Name a category";
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={save} onCancel={onClose} submit="Save" fields={["categoryId", "name"]}>
        {(mistakeIn) => (
          <>
            {!of && (
              <TextField
                label="Number"
                hint="The category number of its animals. An existing name is replaced."
                value={id}
                onChange={setId}
                mistake={mistakeIn("categoryId")}
                isFocused
              />
            )}
            <TextField
              label="Name"
              value={name}
              onChange={setName}
              mistake={mistakeIn("name")}
              isFocused={of !== undefined}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** Removes a category's name; its animals keep the number. Needs no confirmation, because it can be undone. */
export async function removeName(category: Category, onChanged: () => void): Promise<void> {
  const undo = (): void =>
    void put(category.id, category.name ?? "").then(
      () => {
        onChanged();
        say(`Category ${category.id} is called ${quoted(category.name ?? "")} again.`);
      },
      (error: unknown) => say(sentenceOf(error), { isProblem: true }),
    );
  try {
    await call(`/categories/${category.id}`, { method: "DELETE" });
    say(`Category ${category.id} no longer has a name. Its animals are unchanged.`, { undo });
  } catch (error) {
    say(`${categoryLabel(category)}: ${sentenceOf(error)}`, { isProblem: true });
  }
  onChanged();
}
