import { join } from "node:path";

export const DENO = join(import.meta.dir, "../../../node_modules/.bin/deno");
