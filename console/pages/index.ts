import type { ComponentType } from "preact";
import type { Section } from "../components/layout/Frame.tsx";
import { Animal } from "./animals/Animal.tsx";
import { Animals } from "./animals/Animals.tsx";
import { Categories } from "./categories/Categories.tsx";
import { Import } from "./imports/Import.tsx";
import { Journal } from "./Journal.tsx";
import { Key } from "./keys/Key.tsx";
import { Keys } from "./keys/Keys.tsx";
import { Orders } from "./orders/Orders.tsx";
import { Overview } from "./overview/Overview.tsx";

export interface PageEntry {
  /** The path below /console; ":id" matches anything, and becomes a parameter. */
  readonly path: string;
  readonly Page: ComponentType<{ readonly params: Readonly<Record<string, string>> }>;
  /** The entry in the navigation, if any. */
  readonly section?: Omit<Section, "path">;
}

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { path: "", Page: Overview, section: { title: "Overview" } },
  { path: "/keys", Page: Keys, section: { title: "Keys", countOf: (frame) => frame.keys } },
  { path: "/keys/:id", Page: Key },
  { path: "/animals", Page: Animals, section: { title: "Animals", countOf: (frame) => frame.animals } },
  { path: "/animals/categories", Page: Categories },
  { path: "/animals/import", Page: Import },
  { path: "/animals/:id", Page: Animal },
  { path: "/orders", Page: Orders, section: { title: "Orders", countOf: (frame) => frame.openOrders } },
  { path: "/journal", Page: Journal, section: { title: "Journal" } },
];
