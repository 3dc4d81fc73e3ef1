import type { BoundedCount, Count } from "../../src/console/api/index.ts";

// Numbers for people: in groups of three digits, and exact unless a function says that it rounds.

const GROUPS = new Intl.NumberFormat("en");

/** Groups the digits of a number, or of a 64-bit id as a decimal string, of which no digit may be lost. */
export const grouped = (value: number | string): string =>
  GROUPS.format(typeof value === "string" ? BigInt(value) : value);

const STEPS = [
  { from: 999_500_000, unit: 1e9, name: "G" },
  { from: 999_500, unit: 1e6, name: "M" },
  { from: 10_000, unit: 1e3, name: "k" },
];

/** Rounded, for places that are too narrow for all digits, such as the navigation: 10.2 M. */
export function compact(value: number): string {
  const step = STEPS.find(({ from }) => value >= from);
  if (!step) return grouped(value);
  const scaled = value / step.unit;
  return `${scaled.toFixed(scaled < 99.95 ? 1 : 0)} ${step.name}`;
}

/** A count, with "about" if it is an estimate. */
export const counted = ({ value, isEstimate }: Pick<Count, "value" | "isEstimate">): string =>
  isEstimate ? `about ${grouped(value)}` : grouped(value);

/** A count to a limit: over 10,000. */
export const countedSoFar = ({ value, areMore }: BoundedCount): string =>
  areMore ? `over ${grouped(value)}` : grouped(value);

/** A share as a percentage. Rounding never turns something into 0 %, or less than everything into 100 %. */
export function percentage(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return "0 %";
  const percent = (100 * part) / whole;
  if (percent < 0.1) return "under 0.1 %";
  if (percent >= 100) return `${grouped(Math.floor(percent))} %`;
  if (percent > 99) return "over 99 %";
  return `${percent < 1 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** A measured duration: 4.2 ms, 1.25 s. */
export function measured(ms: number): string {
  if (ms >= 1000) return `${Number((ms / 1000).toFixed(2))} s`;
  return `${Number(ms.toPrecision(ms < 10 ? 2 : 3))} ms`;
}

const BYTE_UNITS = ["bytes", "kB", "MB", "GB", "TB"];

export function size(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? grouped(value) : Number(value.toPrecision(3))} ${BYTE_UNITS[unit]}`;
}
