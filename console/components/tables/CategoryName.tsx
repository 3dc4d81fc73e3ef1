import type { Category } from "../../format/stock.ts";
import { Name } from "../text.tsx";

/** "Dogs 1", or "12" if it has no name. */
export const CategoryName = ({ of: { id, name } }: { readonly of: Category }) =>
  name === null ? (
    <span class="soft id">{id}</span>
  ) : (
    <span class="category">
      <Name>{name}</Name> <span class="soft small id">{id}</span>
    </span>
  );
