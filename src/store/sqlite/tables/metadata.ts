import { metadataWork } from "../../sql/tables/metadata.ts";
import { SQLITE } from "../sql/dialect.ts";
import { BOOKKEEPING, declareWrites, tableStore } from "./write.ts";

const METADATA = metadataWork(SQLITE);

export const metadataWrites = declareWrites("metadata", BOOKKEEPING, METADATA.writes);

export const sqliteMetadata = tableStore(METADATA.reads, metadataWrites);
