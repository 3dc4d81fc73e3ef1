const DIGITS = { "+": "-", "/": "_", "=": "" } as const;

export const base64UrlOf = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (digit) => DIGITS[digit as keyof typeof DIGITS]);

export const encodeBase64Url = (text: string): string => base64UrlOf(new TextEncoder().encode(text));

export function decodeBase64Url(encoded: string): string {
  try {
    const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return "";
  }
}
