export { AnimalStore } from "./animal-store.ts";
export { AnimalStoreError, type ClientErrorCode } from "./error.ts";
export type {
  AnimalStoreOptions,
  CallOptions,
  ConditionalReadOptions,
  ConditionalWriteOptions,
  DeprecationEvent,
  HttpMethod,
  OutgoingEvent,
  PutOptions,
  RequestEvent,
  RequestOptions,
  ResponseEvent,
  RetryEvent,
  WriteOptions,
} from "./options.ts";
export type { LimitedWindow, Limits } from "./pacing/limits.ts";
export type { Call } from "./resources/call.ts";
export type { Categories } from "./resources/categories.ts";
export type { Orders } from "./resources/orders.ts";
export type { ListCall, Page } from "./resources/page.ts";
export type { Pets } from "./resources/pets.ts";
export type { Answer } from "./transport/answer.ts";
export type { Int64, Int64Input } from "./wire/int64.ts";
export type * from "./wire/types.ts";
