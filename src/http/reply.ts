import { type HeaderFields, HeaderTemplate, NO_FIELDS } from "./header-template.ts";

/** What is answered, except for what belongs to one request alone: the same reply may answer many. */
export class Reply {
  readonly template: HeaderTemplate;

  constructor(
    readonly status: number,
    /** JSON; null when there is none. A Blob is encoded once and then sent as it is. */
    readonly body: string | Blob | null,
    readonly headers: HeaderFields,
  ) {
    this.template = HeaderTemplate.for(headers, body !== null);
  }
}

/** `reply(201, body, { Location })`. */
export const reply = (status: number, body: string | null, headers: HeaderFields = NO_FIELDS): Reply =>
  new Reply(status, body, headers);

/** For a reply that is sent more than once: text would be encoded for every response. */
export const encoded = (original: Reply): Reply =>
  typeof original.body === "string"
    ? new Reply(original.status, new Blob([original.body]), original.headers)
    : original;
