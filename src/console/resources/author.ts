import type { Author, Authorship } from "../../domain/journal.ts";
import type { ConsoleParts, SignedIn } from "../handler.ts";

/** The author of a change, as the journal names it. */
export const authorOf = ({ name, role }: SignedIn): Author => ({ by: name, via: "console", role });

export const authorshipOf = ({ clock }: Pick<ConsoleParts, "clock">, session: SignedIn): Authorship => ({
  ...authorOf(session),
  atMs: clock.nowMs(),
});
