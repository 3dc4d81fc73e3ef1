import { categoryWork } from "../../sql/tables/categories.ts";
import { SQLITE } from "../sql/dialect.ts";
import { CHANGE, declareWrites, tableStore } from "./write.ts";

const { reads, changes } = categoryWork(SQLITE);

export const categoryWrites = declareWrites("categories", CHANGE, changes);

export const sqliteCategories = tableStore(reads, categoryWrites);
