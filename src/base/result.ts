/** The outcome of an operation: its value, or the reason why it was refused. Malfunctions are thrown instead. */
export type Result<Value, Reason = never> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "refused"; readonly reason: Reason };

export const done = <Value>(value: Value): { readonly kind: "done"; readonly value: Value } => ({
  kind: "done",
  value,
});

export const refused = <Reason>(reason: Reason): { readonly kind: "refused"; readonly reason: Reason } => ({
  kind: "refused",
  reason,
});
