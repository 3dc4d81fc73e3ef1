import { temporaryFolder } from "../test/harness/folder.ts";

import { captureReference, makeStore, type OurStore, type Reference } from "./service.ts";
import type { Settings } from "./settings.ts";

/** What the parts of a run share. Everything is created when it is first needed. */
export class Stage {
  readonly folder = temporaryFolder();
  readonly #stores = new Map<number, Promise<OurStore>>();
  #reference: Promise<Reference> | undefined;
  #made = 0;

  constructor(readonly settings: Settings) {}

  /** A database that several parts read. */
  sharedStore(animals: number): Promise<OurStore> {
    const store = this.#stores.get(animals) ?? this.newStore(animals);
    this.#stores.set(animals, store);
    return store;
  }

  /** A database to write to. */
  newStore(animals: number): Promise<OurStore> {
    return makeStore(this.folder, `ours-${++this.#made}`, animals);
  }

  /** Captured on a database that nothing else writes to, so that it has exactly the same animals as the others. */
  reference(): Promise<Reference> {
    this.#reference ??= this.newStore(this.settings.animals).then(captureReference);
    return this.#reference;
  }
}
