import { mistakeInText, NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";
import type { Category } from "../../domain/stock/category.ts";
import { fold } from "../../domain/stock/fold.ts";
import type { CategoryStore } from "../../store/ports/store.ts";

/** The numbers of the categories that a file names. Both readings of a file share one, so that both see the same. */
export class CategoryNames {
  readonly #ids = new Map<string, bigint>();
  #isSettled = false;

  constructor(private readonly categories: Pick<CategoryStore, "findByNames">) {}

  /** Returns the number of the category with this name, whatever its case; undefined if there is none. */
  idOf(name: string): bigint | undefined {
    return this.#ids.get(fold(name));
  }

  /** Called after the first reading: a line that it rejected stays rejected, whatever is named since. */
  settle(): void {
    this.#isSettled = true;
  }

  /** Asks for those that are not known yet, so that idOf() has them. */
  async learn(names: readonly string[]): Promise<void> {
    if (this.#isSettled) return;
    const unknown = new Set<string>();
    for (const name of names) {
      if (mistakeInText(name, NAME_MAX_CODE_POINTS)) continue;
      const folded = fold(name);
      if (!this.#ids.has(folded)) unknown.add(folded);
    }
    if (unknown.size === 0) return;
    const found: readonly Category[] = await this.categories.findByNames([...unknown]);
    for (const { id, name } of found) this.#ids.set(fold(name), id);
  }
}
