import type { Category } from "../../format/stock.ts";
import { CategoryPicker } from "./CategoryPicker.tsx";
import { useDescription } from "./Form.tsx";

interface CategoryFieldProps {
  readonly value: Category | undefined;
  readonly onChange: (category: Category | undefined, text: string) => void;
  readonly mistake: string | undefined;
}

/** The category of an animal, in a form. */
export function CategoryField({ value, onChange, mistake }: CategoryFieldProps) {
  const field = useDescription({ hint: "By name, or by number: any number is a category.", mistake });
  return (
    <div class="field">
      <label for={field.id}>Category</label>
      <CategoryPicker id={field.id} value={value} onChange={onChange} described={field.described} />
      {field.notes}
    </div>
  );
}
