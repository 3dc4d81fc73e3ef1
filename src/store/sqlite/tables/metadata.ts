import type { MetadataStore } from "../../ports/store.ts";
import { metadataWork } from "../../sql/tables/metadata.ts";
import { SQLITE } from "../sql/dialect.ts";
import type { Connection } from "../sql/statements.ts";
import { reading } from "./work.ts";
import { BOOKKEEPING, declareWrites, forward, type Writes } from "./write.ts";

const METADATA = metadataWork(SQLITE);

export const metadataWrites = declareWrites("metadata", BOOKKEEPING, METADATA.writes);

export const sqliteMetadata = (connection: Connection, writes: Writes): MetadataStore => ({
  ...reading(connection, METADATA.reads),
  ...forward(writes, metadataWrites),
});
