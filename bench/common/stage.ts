import { temporaryFolder } from "../../test/harness/folder.ts";

import { captureReference, makeStore, type OurStore, type Reference } from "../contenders/service.ts";
import type { Settings } from "./settings.ts";

/** What the parts of a run share. Everything is created when it is first needed. */
export class Stage {
  readonly folder = temporaryFolder();
  readonly #stores = new Map<number, Promise<OurStore>>();
  #reference: Promise<Reference> | undefined;
  #made = 0;

  constructor(
    readonly settings: Settings,
    /** The executable of the revision that this one is compared with, if any. */
    readonly former: string | undefined,
  ) {}

  /** A database that several parts read. */
  sharedStore(animals: number): Promise<OurStore> {
    const store = this.#stores.get(animals) ?? this.newStore(animals);
    this.#stores.set(animals, store);
    return store;
  }

  /** A database to write to, of this service or of another executable of it. */
  newStore(animals: number, executable?: string): Promise<OurStore> {
    return makeStore(this.folder, `store-${++this.#made}`, animals, executable);
  }

  /** Captured on a database that nothing else writes to, so that it has exactly the same animals as the others. */
  reference(): Promise<Reference> {
    this.#reference ??= this.newStore(this.settings.animals).then(captureReference);
    return this.#reference;
  }
}
