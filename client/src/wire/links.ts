/**
 * The target of the first link of a Link header that has the relation. Anybody may have sent the header, so it is split
 * rather than searched: a regular expression for all of it can take seconds.
 */
export function linkTo(relation: string, header: string | null): string | undefined {
  for (const link of (header ?? "").split("<").slice(1)) {
    const end = link.indexOf(">");
    const [, found] = /^;\s*rel="?(\w+)/.exec(link.slice(end + 1)) ?? [];
    if (end >= 0 && found === relation) return link.slice(0, end);
  }
  return undefined;
}
