import { andThen } from "../domain/awaitable.ts";
import type { Handler } from "./handler.ts";
import { endConnection } from "./header-template.ts";

/**
 * Bun reads the rest of a chunked body that nobody has read, however long it is, and a body in chunks of one byte
 * keeps it busy. So the response to such a request is the last one of its connection.
 */
export const closingUnreadBodies =
  (handle: Handler): Handler =>
  (request, server) => {
    const response = handle(request, server);
    return request.headers.get("transfer-encoding") === null
      ? response
      : andThen(response, (response) => (request.bodyUsed ? response : endConnection(response)));
  };
