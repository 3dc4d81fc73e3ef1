/** The figures of an attack, and the violations that it found. */
export class Scoreboard {
  readonly #figures = new Map<string, number>();
  readonly #violations: string[] = [];

  /** Adds to a figure: `count("kills")`. Figures are shown in the order in which they first appear. */
  count(name: string, by = 1): void {
    this.#figures.set(name, this.of(name) + by);
  }

  /** Keeps the highest value of a figure: `highest("slowest answer, ms", 12)`. */
  highest(name: string, value: number): void {
    this.#figures.set(name, Math.max(value, this.#figures.get(name) ?? value));
  }

  of(name: string): number {
    return this.#figures.get(name) ?? 0;
  }

  /** Records a broken promise: what was promised to whom, and what was found instead. */
  violation(text: string): void {
    this.#violations.push(text);
  }

  /** Records a violation unless the condition holds. Returns the condition. */
  check(holds: boolean, text: string | (() => string)): boolean {
    if (!holds) this.violation(typeof text === "string" ? text : text());
    return holds;
  }

  get figures(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#figures);
  }

  get violations(): readonly string[] {
    return this.#violations;
  }

  /** The figures as a table, and each kind of violation once. */
  toString(): string {
    const rows = [...this.#figures, ["violations", this.#violations.length] as const].map(
      ([name, value]) => [name, Math.round(value).toLocaleString("en-US")] as const,
    );
    const nameWidth = Math.max(...rows.map(([name]) => name.length));
    const valueWidth = Math.max(...rows.map(([, value]) => value.length));
    const table = rows.map(([name, value]) => `  ${name.padEnd(nameWidth)}  ${value.padStart(valueWidth)}`);
    const kinds = Map.groupBy(this.#violations, (text) => text.replace(/\d+/g, "#").slice(0, KIND_CHARACTERS));
    const shown = [...kinds.values()]
      .slice(0, MAX_SHOWN)
      .map((those) => `  violation, ${those.length} of this kind: ${those[0]?.slice(0, MAX_CHARACTERS)}`);
    return [...table, ...shown].join("\n");
  }
}

/** Violations are of one kind if they begin alike apart from numbers. */
const KIND_CHARACTERS = 120;
const MAX_SHOWN = 30;
const MAX_CHARACTERS = 600;
