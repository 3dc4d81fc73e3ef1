// Work that must be done before the user leaves: a page, the console, or their session.

type Work = () => Promise<unknown>;

const works = new Set<Work>();

/** Does the work when the console is left. Returns a function that ends this, which does the work, too. */
export function whenLeaving(work: Work): () => void {
  works.add(work);
  return () => {
    works.delete(work);
    void work();
  };
}

/** Resolves when everything is done. */
export const finishBeforeLeaving = (): Promise<unknown> => Promise.all([...works].map((work) => work()));

/** The page may be hidden for good: nothing can be waited for. */
addEventListener("pagehide", () => void finishBeforeLeaving());
