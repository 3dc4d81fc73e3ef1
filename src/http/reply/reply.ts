import { type HeaderFields, HeaderTemplate, NO_FIELDS } from "./header-template.ts";

/** A response without the headers of one request: the same reply may answer many. */
export class Reply {
  readonly template: HeaderTemplate;

  constructor(
    readonly status: number,
    /** JSON; null when there is none. A Blob is encoded once and then sent as it is. */
    readonly body: string | Blob | null,
    readonly headers: HeaderFields = NO_FIELDS,
    /** The ETag header; undefined when there is none. */
    readonly etag?: string | undefined,
    /** True: it stays right when animals are added, whose ids are greater than all before. */
    readonly survivesAdditions = false,
  ) {
    this.template = HeaderTemplate.for(headers, body !== null, etag !== undefined);
  }
}

/** Encodes the body of a reply that is sent more than once: text would be encoded for every response. */
export const encoded = (original: Reply): Reply =>
  typeof original.body === "string"
    ? new Reply(original.status, new Blob([original.body]), original.headers, original.etag, original.survivesAdditions)
    : original;
