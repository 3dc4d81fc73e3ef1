import { join } from "node:path";
import { openForCommand, openForServing } from "../src/store/sqlite/store.ts";
import { correctionsContract } from "./corrections.contract.ts";
import { temporaryFolder } from "./harness/folder.ts";
import { keyStoreContract } from "./keys.contract.ts";
import { listsContract } from "./lists.contract.ts";
import { storeContract } from "./store.contract.ts";

const folder = temporaryFolder();
let stores = 0;
const newPath = () => join(folder, `${++stores}.db`);

for (const contract of [storeContract, correctionsContract, listsContract, keyStoreContract]) {
  contract("SQLite, for serving", () => openForServing(newPath()));
  contract("SQLite, for a command", () => openForCommand(newPath(), { create: true }));
}
