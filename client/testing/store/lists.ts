import {
  cutPage,
  type IdOrder,
  type Listed,
  type NameOrder,
  type Page,
  type Position,
} from "../../../src/domain/page.ts";
import { fold } from "../../../src/domain/stock/fold.ts";

interface Row {
  readonly id: bigint;
}

interface PageById {
  readonly sort?: IdOrder | undefined;
  readonly after?: Position | undefined;
  readonly size: number;
}

/** A page of the rows, by id. */
export function pageById<R extends Row>(rows: readonly R[], { sort, after, size }: PageById): Page<R> {
  const sign = sort === "-id" ? -1 : 1;
  const isLeft = ({ id }: Row): boolean => after === undefined || sign * compare(id, after.id) > 0;
  return cutPage(
    rows.filter(isLeft).sort((a, b) => sign * compare(a.id, b.id)),
    size,
  );
}

interface PageByName {
  /** The prefix, folded. */
  readonly name: string;
  readonly sort?: NameOrder | undefined;
  readonly after?: Position | undefined;
  readonly size: number;
}

/** A page of the rows whose folded names begin with a prefix, by these names and then by id. */
export function pageByName<R extends Row & { readonly name: string }>(
  rows: readonly R[],
  { name: prefix, sort, after, size }: PageByName,
): Page<Listed<R>> {
  const found: Listed<R>[] = rows
    .map((row) => ({ ...row, foldedName: fold(row.name) }))
    .filter(({ foldedName }) => foldedName.startsWith(prefix));
  const sign = sort === "-name" ? -1 : 1;
  const isLeft = (row: Position): boolean => after === undefined || sign * compareNames(row, after) > 0;
  return cutPage(
    found.filter(isLeft).sort((a, b) => sign * compareNames(a, b)),
    size,
  );
}

const compareNames = (a: Position, b: Position): number =>
  compareCodePoints(a.foldedName ?? "", b.foldedName ?? "") || compare(a.id, b.id);

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** The order of UTF-8's bytes, as databases have it. JavaScript compares halves of characters beyond U+FFFF. */
function compareCodePoints(a: string, b: string): number {
  const [ofA, ofB] = [codePoints(a), codePoints(b)];
  const at = ofA.findIndex((codePoint, i) => codePoint !== ofB[i]);
  if (at === -1) return ofA.length - ofB.length;
  return (ofA[at] as number) - (ofB[at] ?? -1);
}

const codePoints = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) as number);
