// A bare server that reads animals with the statements of this service, and does nothing else: no keys, no limits,
// no checks, no tags. Its cost is that of Bun, SQLite and the shape of the responses.
// Usage: PORT=… bun bench/contenders/bare-store.ts store.db

import { encodeCursor, PAGE_SIZE_DEFAULT } from "../../src/domain/page.ts";
import type { Animal } from "../../src/domain/stock/animal.ts";
import { PET_SHAPE, petJson } from "../../src/http/wire/pet.ts";
import { SELECT_ANIMAL } from "../../src/store/sql/rows.ts";
import { openForReading } from "../../src/store/sqlite/file/database.ts";
import { type JsonListRow, jsonLists } from "../../src/store/sqlite/tables/animals.ts";

const db = openForReading(process.argv[2] as string);
const list = db.prepare<JsonListRow, [string, bigint, number]>(jsonLists(PET_SHAPE).byStatus);
const get = db.prepare<Animal, [bigint]>(`${SELECT_ANIMAL} WHERE id = ?`);
const port = Number(process.env.PORT);
const PETS = `http://127.0.0.1:${port}/v1/pets`;

const QUERY = /\?status=(\w+)&cursor=(\w+)$/;

function page(url: string): Response {
  const [, status = "", cursor = ""] = QUERY.exec(url) ?? [];
  const { json, next } = list.get(status, BigInt(`0x${cursor}`) + 1n, PAGE_SIZE_DEFAULT) as JsonListRow;
  return new Response(json, {
    headers: {
      "Content-Type": "application/json",
      Link: `<${PETS}?limit=${PAGE_SIZE_DEFAULT}&status=${status}&cursor=${encodeCursor({ id: next as bigint })}>; rel="next"`,
    },
  });
}

Bun.serve({
  hostname: "127.0.0.1",
  port,
  development: false,
  reusePort: false,
  routes: {
    "/v1/pets": { GET: ({ url }) => page(url) },
    "/v1/pets/:id": {
      GET: ({ params: { id } }) =>
        new Response(petJson(get.get(BigInt(id)) as Animal), { headers: { "Content-Type": "application/json" } }),
    },
  },
});
