import { join } from "node:path";
import { openForCommand, openForServing } from "../src/store/sqlite/store.ts";
import { temporaryFolder } from "./harness/folder.ts";
import { storeContract } from "./store.contract.ts";

const folder = temporaryFolder();
let stores = 0;
const newPath = () => join(folder, `${++stores}.db`);

storeContract("SQLite, for serving", () => openForServing(newPath()));
storeContract("SQLite, for a command", () => openForCommand(newPath(), { create: true }));
