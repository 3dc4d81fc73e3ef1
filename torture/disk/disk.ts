import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../common/random.ts";
import { JournaledFile, type Manner } from "./file.ts";
import type { DiskRecord } from "./journal.ts";

// Rebuilds a folder from its journal: the state that the program sees, and the states that a power cut may leave. The
// model is POSIX, which promises less than ext4 and XFS do: a file's content is durable after its fsync, a name after
// the fsync of its folder. Until then, each change may or may not be on disk, in any order.

type Folder = { readonly kind: "folder"; readonly entries: Map<string, Entry> };
type Entry = Folder | JournaledFile;

/** One atomic change of directory entries, such as a rename. */
type NameChange = readonly { readonly folder: Folder; readonly name: string; readonly entry: Entry | undefined }[];

const MANNERS: readonly Manner[] = ["nothing", "everything", "pages", "sectors"];
/** SQLite's WAL index is shared memory that happens to have a file name. */
const IS_MEMORY = /-shm$/;

/** The state of a folder after a cut: contents by path, undefined for subfolders. */
export type Remains = ReadonlyMap<string, Uint8Array | undefined>;

export class JournaledDisk {
  readonly #root = newFolder();
  readonly #byInode = new Map<bigint, JournaledFile>();
  /** Changes not yet synced, oldest first. */
  #pending: NameChange[] = [];
  /** The durable directory entries. */
  readonly #onDisk = new Map<Folder, Map<string, Entry>>();

  /** Everything that is in the folder now counts as durable. */
  constructor(folder?: string) {
    if (folder) this.#take(folder, "");
    for (const change of this.#pending) this.#settle(change);
    this.#pending = [];
  }

  #take(folder: string, below: string): void {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = join(below, entry.name);
      if (entry.isDirectory()) {
        this.#change([this.#at(path, newFolder())]);
        this.#take(folder, path);
      } else {
        const { ino } = statSync(join(folder, path), { bigint: true });
        this.#create(path, new JournaledFile(ino, readFileSync(join(folder, path))));
      }
    }
  }

  apply(record: DiskRecord): void {
    const { operation, path, offset } = record;
    const act = this.#actions[operation];
    if (!act) throw new Error(`the journal cannot describe what was done to ${path}: system call ${offset}`);
    act(record);
  }

  readonly #actions: Partial<Record<DiskRecord["operation"], (record: DiskRecord) => void>> = {
    open: ({ path, inode }) => {
      const entry = this.#find(path);
      if (!(entry instanceof JournaledFile) || entry.inode !== inode) this.#create(path, new JournaledFile(inode));
    },
    write: (record) => this.#file(record).write(record.offset, record.data),
    truncate: (record) => this.#file(record).truncate(record.offset),
    extend: (record) => this.#file(record).extend(record.offset),
    sync: (record) => (record.isFolder ? this.#syncFolder(record) : this.#syncFile(record)),
    rename: ({ path, path2 }) => this.#change([this.#at(path, undefined), this.#at(path2, this.#find(path))]),
    link: ({ path, path2 }) => this.#change([this.#at(path2, this.#find(path))]),
    unlink: ({ path }) => this.#change([this.#at(path, undefined)]),
    rmdir: ({ path }) => this.#change([this.#at(path, undefined)]),
    mkdir: ({ path }) => this.#change([this.#at(path, newFolder())]),
  };

  #create(path: string, file: JournaledFile): void {
    this.#byInode.set(file.inode, file);
    this.#change([this.#at(path, file)]);
  }

  #file({ inode, path }: DiskRecord): JournaledFile {
    const file = this.#byInode.get(inode);
    if (!file) throw new Error(`the journal has no beginning of ${path}`);
    return file;
  }

  #syncFile(record: DiskRecord): void {
    const file = this.#file(record);
    if (record.error === 0) file.sync();
    else file.failSync();
  }

  #syncFolder({ path, error }: DiskRecord): void {
    const folder = this.#find(path);
    // Unlike a file's pages, a folder's changes stay pending after a failed sync, and the next one writes them.
    if (error !== 0 || folder === undefined) return;
    const isOfFolder = (change: NameChange): boolean => change.some((part) => part.folder === folder);
    for (const change of this.#pending.filter(isOfFolder)) this.#settle(change);
    this.#pending = this.#pending.filter((change) => !isOfFolder(change));
  }

  #settle(change: NameChange): void {
    for (const { folder, name, entry } of change) setName(this.#namesOnDisk(folder), name, entry);
  }

  #namesOnDisk(folder: Folder): Map<string, Entry> {
    const names = this.#onDisk.get(folder) ?? new Map<string, Entry>();
    this.#onDisk.set(folder, names);
    return names;
  }

  #change(change: NameChange): void {
    for (const { folder, name, entry } of change) setName(folder.entries, name, entry);
    this.#pending.push(change);
  }

  #at(path: string, entry: Entry | undefined): NameChange[number] {
    const slash = path.lastIndexOf("/");
    const folder = this.#find(slash === -1 ? "." : path.slice(0, slash));
    if (!folder || folder instanceof JournaledFile) throw new Error(`the journal has no folder for ${path}`);
    return { folder, name: path.slice(slash + 1), entry };
  }

  #find(path: string): Entry | undefined {
    if (path === ".") return this.#root;
    let entry: Entry | undefined = this.#root;
    for (const name of path.split("/")) entry = entry instanceof JournaledFile ? undefined : entry?.entries.get(name);
    return entry;
  }

  /** The state that the program sees. */
  latest(): Remains {
    return remainsOf(
      this.#root,
      (folder) => folder.entries,
      (file) => file.latest(),
    );
  }

  /** One of the states that a power cut may leave. */
  after(random: Random): Remains {
    const names = this.#namesAfter(random);
    const common = random.chance(0.5) ? random.pick(MANNERS) : undefined;
    return remainsOf(
      this.#root,
      (folder) => names.get(folder) ?? new Map(),
      (file, path) => {
        if (IS_MEMORY.test(path)) return random.bytes(Math.min(file.size, 64));
        return file.after(common ?? random.pick(MANNERS), random);
      },
    );
  }

  #namesAfter(random: Random): Map<Folder, Map<string, Entry>> {
    const names = new Map([...this.#onDisk].map(([folder, entries]) => [folder, new Map(entries)]));
    const happened = pickChanges(this.#pending, random);
    for (const { folder, name, entry } of happened.flat()) {
      if (!names.has(folder)) names.set(folder, new Map());
      setName(names.get(folder) as Map<string, Entry>, name, entry);
    }
    return names;
  }
}

/** Picks none, all, a prefix, or any subset. */
function pickChanges(changes: readonly NameChange[], random: Random): readonly NameChange[] {
  switch (random.int(0, 3)) {
    case 0:
      return [];
    case 1:
      return changes;
    case 2:
      return changes.slice(0, random.int(0, changes.length));
    default:
      return changes.filter(() => random.chance(0.5));
  }
}

const newFolder = (): Folder => ({ kind: "folder", entries: new Map() });

function setName(names: Map<string, Entry>, name: string, entry: Entry | undefined): void {
  if (entry) names.set(name, entry);
  else names.delete(name);
}

function remainsOf(
  root: Folder,
  namesOf: (folder: Folder) => ReadonlyMap<string, Entry>,
  contentOf: (file: JournaledFile, path: string) => Uint8Array,
): Remains {
  const remains = new Map<string, Uint8Array | undefined>();
  const walk = (folder: Folder, below: string): void => {
    for (const [name, entry] of namesOf(folder)) {
      const path = below + name;
      if (entry instanceof JournaledFile) remains.set(path, contentOf(entry, path));
      else {
        remains.set(path, undefined);
        walk(entry, `${path}/`);
      }
    }
  };
  walk(root, "");
  return remains;
}

/** Writes a state into an empty folder. */
export function restore(remains: Remains, folder: string): void {
  for (const [path, content] of remains)
    if (content === undefined) mkdirSync(join(folder, path), { mode: 0o700 });
    else writeFileSync(join(folder, path), content, { mode: 0o600 });
}
