import type { Key } from "../domain/key.ts";
import { done, type Result, refused } from "../domain/result.ts";
import { suggest } from "../domain/suggest.ts";
import type { KeyStore } from "../store/store.ts";

export interface UnknownKey {
  readonly kind: "no_such_key";
}

export async function findKey(keys: Pick<KeyStore, "get">, id: string): Promise<Result<Key, UnknownKey>> {
  const key = await keys.get(id);
  return key ? done(key) : refused({ kind: "no_such_key" });
}

/** The id that was probably meant. It compares with every key there is, so it is not part of every search. */
export async function suggestKeyId(keys: Pick<KeyStore, "list">, id: string): Promise<string | undefined> {
  const known = await keys.list();
  return suggest(
    id,
    known.map((key) => key.id),
  );
}
