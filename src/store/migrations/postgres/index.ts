import type { Migration } from "../../migrate.ts";
import initial from "./0001_initial.sql" with { type: "text" };

/** Never edit one that was released: add the next number. */
export const POSTGRES_MIGRATIONS: readonly Migration[] = [{ number: 1, name: "initial", sql: initial }];
