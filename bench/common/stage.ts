import { temporaryFolder } from "../../test/harness/folder.ts";

import { captureReference, makeStore, type OurStore, type Reference } from "../contenders/service.ts";
import type { Settings } from "./settings.ts";

/** The databases and reference responses that the parts of a run share, each created on first use. */
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

  /** A database to write to, made by this executable or by another. */
  newStore(animals: number, executable?: string): Promise<OurStore> {
    return makeStore(this.folder, `store-${++this.#made}`, animals, executable);
  }

  /** Captured on a database that nothing else writes to, so that its animals are exactly those of the others. */
  reference(): Promise<Reference> {
    this.#reference ??= this.newStore(this.settings.animals).then(captureReference);
    return this.#reference;
  }
}
