/**
 * Whether a request has a chunked body that nobody has read. Bun goes on to read it after the response, however long it
 * is, and a body in chunks of one byte keeps it busy. So that response must be the last one of its connection.
 */
export const hasUnreadBody = (request: Request): boolean =>
  request.headers.get("transfer-encoding") !== null && !request.bodyUsed;
