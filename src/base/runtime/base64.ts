/** The UTF-8 of a text in base64url. */
export const encodeBase64Url = (text: string): string => Buffer.from(text).toString("base64url");

/** The text that base64url encodes. What is not valid comes out as something else, and is not what encoding it gives. */
export const decodeBase64Url = (encoded: string): string => Buffer.from(encoded, "base64url").toString();
