import { done, type Result, refused } from "../../base/result.ts";
import { suggest } from "../../base/text/suggest.ts";
import { isKeyId, KEY_NAME_MAX_CODE_POINTS, type Key } from "../../domain/keys/key.ts";
import type { KeyStore } from "../../store/ports/store.ts";
import type { KeyContext } from "./context.ts";

export type FindRefusal =
  /** The suggestion is the id or name that was probably meant. */
  | { readonly kind: "no_such_key"; readonly suggestion: string | undefined }
  | { readonly kind: "several_have_name"; readonly ids: readonly string[] };

/** The key with an id, or else the only one with a name. */
export async function findKey(
  keys: Pick<KeyStore, "get" | "list">,
  idOrName: string,
): Promise<Result<Key, FindRefusal>> {
  const known = isKeyId(idOrName) ? await keys.get(idOrName) : undefined;
  if (known) return done(known);
  const all = await keys.list();
  // An accent may be typed in two ways, which look the same.
  const name = idOrName.normalize();
  const [key, ...others] = all.filter((each) => each.name.normalize() === name);
  if (!key) return refused({ kind: "no_such_key", suggestion: suggestionFor(idOrName, all) });
  if (others.length > 0) return refused({ kind: "several_have_name", ids: [key, ...others].map(({ id }) => id) });
  return done(key);
}

function suggestionFor(idOrName: string, all: readonly Key[]): string | undefined {
  // No id or name is that long, and each comparison takes time.
  if (idOrName.length > 2 * KEY_NAME_MAX_CODE_POINTS) return undefined;
  return suggest(
    idOrName,
    all.flatMap(({ id, name }) => [id, name]),
  );
}

/** Makes a use-case of the key with an id, or of the only one with a name. */
export const onKey =
  <Context extends Pick<KeyContext, "keys">, Value, Refusal>(
    work: (context: Context, key: Key) => Promise<Result<Value, Refusal>>,
  ) =>
  async (context: Context, idOrName: string): Promise<Result<Value, Refusal | FindRefusal>> => {
    const found = await findKey(context.keys, idOrName);
    return found.kind === "refused" ? found : work(context, found.value);
  };
