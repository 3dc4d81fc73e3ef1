import type { ComponentType } from "preact";
import { EVERYBODY, OPERATOR_ONLY, READS_KEYS, type Roles } from "../../src/domain/console-role.ts";
import type { Section } from "../components/layout/Frame.tsx";
import { Animal } from "./animals/Animal.tsx";
import { Animals } from "./animals/Animals.tsx";
import { Categories } from "./categories/Categories.tsx";
import { Import } from "./imports/Import.tsx";
import { Journal } from "./Journal.tsx";
import { Key } from "./keys/Key.tsx";
import { Keys } from "./keys/Keys.tsx";
import { Request } from "./keys/Request.tsx";
import { Order } from "./orders/Order.tsx";
import { Orders } from "./orders/Orders.tsx";
import { Overview } from "./overview/Overview.tsx";

export interface PageEntry {
  /** The path below /console; ":id" matches anything, and becomes a parameter. */
  readonly path: string;
  readonly Page: ComponentType<{ readonly params: Readonly<Record<string, string>> }>;
  /** Those who see it. The others are told that it is not for them. */
  readonly roles: Roles;
  /** The name under which the palette leads to it; that of its section, if it has one. */
  readonly title?: string;
  /** The entry in the navigation, if any. */
  readonly section?: Omit<Section, "path">;
}

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { path: "", Page: Overview, roles: EVERYBODY, section: { title: "Overview", icon: "overview" } },
  {
    path: "/keys",
    Page: Keys,
    roles: READS_KEYS,
    section: { title: "Keys", icon: "key", countOf: (frame) => frame.keys },
  },
  { path: "/keys/:id", Page: Key, roles: READS_KEYS },
  { path: "/keys/:id/requests/:request", Page: Request, roles: OPERATOR_ONLY },
  {
    path: "/animals",
    Page: Animals,
    roles: EVERYBODY,
    section: { title: "Animals", icon: "animal", countOf: (frame) => frame.animals },
  },
  { path: "/animals/categories", Page: Categories, roles: EVERYBODY, title: "Categories" },
  { path: "/animals/import", Page: Import, roles: EVERYBODY, title: "Imports" },
  { path: "/animals/:id", Page: Animal, roles: EVERYBODY },
  {
    path: "/orders",
    Page: Orders,
    roles: EVERYBODY,
    section: { title: "Orders", icon: "order", countOf: (frame) => frame.openOrders },
  },
  { path: "/orders/:id", Page: Order, roles: EVERYBODY },
  { path: "/journal", Page: Journal, roles: EVERYBODY, section: { title: "Journal", icon: "journal" } },
];
