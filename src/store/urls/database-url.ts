import { Mistake } from "../../base/mistake.ts";
import { parsePostgresUrl } from "./postgres-url.ts";

/** The address of a store. */
export type DatabaseUrl =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

/** True for a file that one process serves, and false for a server: asked of an address, or of a handle on a store. */
export const isEmbedded = <T extends Pick<DatabaseUrl, "kind">>(store: T): store is Extract<T, { kind: "sqlite" }> =>
  store.kind === "sqlite";

/** Parses an address. The mistake never quotes the text, which may hold a password. */
export function parseDatabaseUrl(text: string): DatabaseUrl | Mistake {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (path !== undefined && !path.startsWith(":")) return { kind: "sqlite", path };
  const url = URL.parse(text);
  const isPostgres = url && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== "" && url.pathname.length > 1;
  if (isPostgres && !url.pathname.includes("@") && hasDecodableCredentials(url)) {
    const address = parsePostgresUrl(url);
    return address instanceof Mistake ? address : { kind: "postgres", url: text };
  }
  return new Mistake(
    "must be sqlite: followed by a file name, such as sqlite:data/animal-store.db, or postgres://user:password@host/database",
  );
}

/** True if the parts can be decoded: a percent sign in a password has to be written as %25. */
export function hasDecodableCredentials({ username, password, pathname }: URL): boolean {
  try {
    return decodeURIComponent(username + password + pathname) !== undefined;
  } catch {
    return false;
  }
}

/** Resolves a path as node:path does, which takes long to load. */
export const absolutePath = (path: string): string => Bun.fileURLToPath(Bun.pathToFileURL(path));

/** The text that an adapter opens a database with. */
export const locationOf = (database: DatabaseUrl): string => (isEmbedded(database) ? database.path : database.url);

/** The name of a database for people, without user and password. */
export function displayName(database: DatabaseUrl): string {
  if (isEmbedded(database)) return absolutePath(database.path);
  const { hostname, port, pathname } = new URL(database.url);
  return `postgres://${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
}

/** The address with its password masked. */
export function maskedDatabaseUrl(database: DatabaseUrl): string {
  if (isEmbedded(database)) return `sqlite:${absolutePath(database.path)}`;
  const url = new URL(database.url);
  if (url.password !== "") url.password = MASK;
  return url.href;
}

const MASK = "***";
