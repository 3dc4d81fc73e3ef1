import type { CategoryStore } from "../../ports/store.ts";
import { categoryWork } from "../../sql/tables/categories.ts";
import { SQLITE } from "../sql/dialect.ts";
import type { Connection } from "../sql/statements.ts";
import { reading } from "./work.ts";
import { CHANGE, declareWrites, forward, type Writes } from "./write.ts";

const { reads, changes } = categoryWork(SQLITE);

export const categoryWrites = declareWrites("categories", CHANGE, changes);

export const sqliteCategories = (connection: Connection, writes: Writes): CategoryStore => ({
  ...reading(connection, reads),
  ...forward(writes, categoryWrites),
});
