/**
 * Returns whether a chunked body is still unread. Bun would read it to its end after the response, and a body in
 * chunks of one byte keeps it busy: the response must be the last one of its connection.
 */
export const hasUnreadBody = (request: Request): boolean =>
  request.headers.get("transfer-encoding") !== null && !request.bodyUsed;
