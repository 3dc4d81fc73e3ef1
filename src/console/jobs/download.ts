/** The headers of a download under a name. RFC 6266 encodes names that are not ASCII. */
export function asDownload(name: string, type: string): Record<string, string> {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return {
    "Content-Type": type,
    "Content-Disposition": `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
  };
}
