/** A sentence for each kind of reason, with the nouns of the face that says it. */
export type Sentences<Reason extends { readonly kind: string }, Nouns> = {
  readonly [Kind in Reason["kind"]]: (reason: Extract<Reason, { readonly kind: Kind }>, nouns: Nouns) => string;
};

export function sentenceFor<Reason extends { readonly kind: string }, Nouns>(
  reason: Reason,
  sentences: Sentences<Reason, Nouns>,
  nouns: Nouns,
): string {
  const word = sentences[reason.kind as Reason["kind"]] as (reason: Reason, nouns: Nouns) => string;
  return word(reason, nouns);
}
