/** The outcome of an operation: its value, or the reason why it was refused. Malfunctions are thrown instead. */
export type Result<Value, Reason = never> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "refused"; readonly reason: Reason };

export const done = <Value>(value: Value) => ({ kind: "done", value }) as const;

export const refused = <Reason>(reason: Reason) => ({ kind: "refused", reason }) as const;
