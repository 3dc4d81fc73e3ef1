import { join } from "node:path";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { temporaryFolder } from "./harness/service.ts";
import { storeContract } from "./store.contract.ts";

const folder = temporaryFolder();
let stores = 0;

storeContract("SQLite", () => openSqliteStore(join(folder, `${++stores}.db`), { create: true, serve: true }));
