export { AnimalStore } from "./animal-store.ts";
export type { Answer } from "./answer.ts";
export type { Call } from "./call.ts";
export type { Categories } from "./categories.ts";
export { AnimalStoreError, type ClientErrorCode } from "./error.ts";
export type { Int64, Int64Input } from "./int64.ts";
export type { LimitedWindow, Limits } from "./limits.ts";
export type {
  AnimalStoreOptions,
  CallOptions,
  ConditionalReadOptions,
  ConditionalWriteOptions,
  DeprecationEvent,
  OutgoingEvent,
  PutOptions,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WriteOptions,
} from "./options.ts";
export type { Orders } from "./orders.ts";
export type { ListCall, Page } from "./page.ts";
export type { Pets } from "./pets.ts";
export type * from "./wire.ts";
