export { AnimalStore } from "./animal-store.ts";
export { AnimalStoreError, type ClientErrorCode } from "./error.ts";
export type { HttpMethod, Operation } from "./operation.ts";
export type {
  AnimalStoreOptions,
  CallOptions,
  ClientClock,
  ConditionalReadOptions,
  ConditionalWriteOptions,
  DeprecationEvent,
  FailureEvent,
  Logger,
  OutgoingEvent,
  PutOptions,
  RequestEvent,
  RequestOptions,
  ResponseEvent,
  RetryEvent,
  WriteOptions,
} from "./options.ts";
export type { LimitedWindow, Limits } from "./pacing/limits.ts";
export type {
  BulkCall,
  BulkOptions,
  BulkProgress,
  BulkReport,
  CreatedRow,
  FailedRow,
  RowOutcome,
  Rows,
} from "./resources/bulk.ts";
export type { Call } from "./resources/call.ts";
export type { Categories } from "./resources/categories.ts";
export type { Orders } from "./resources/orders.ts";
export type { ListCall, Page } from "./resources/page.ts";
export type { Pets } from "./resources/pets.ts";
export type { Answer } from "./transport/answer.ts";
export type { CategoryId, Int64, Int64Input, OrderId, PetId } from "./wire/int64.ts";
export type * from "./wire/types.ts";
