import type { Category } from "../../format/stock.ts";
import { CategoryPicker } from "./CategoryPicker.tsx";
import { useDescription } from "./Form.tsx";

interface CategoryFieldProps {
  readonly value: Category | undefined;
  readonly onChange: (category: Category | undefined, text: string) => void;
  readonly mistake: string | undefined;
}

/** A form field for the category of an animal. */
export function CategoryField({ value, onChange, mistake }: CategoryFieldProps) {
  const field = useDescription({ hint: "A name or a number. Any number is a category.", mistake });
  return (
    <div class="field">
      <label for={field.id}>Category</label>
      <CategoryPicker id={field.id} value={value} onChange={onChange} described={field.described} />
      {field.notes}
    </div>
  );
}
