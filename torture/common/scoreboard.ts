/** The figures of an attack, and the violations that it found. */
export class Scoreboard {
  readonly #figures = new Map<string, number>();
  /** The figures that are the highest of several, where the others are sums. */
  readonly #highest = new Set<string>();
  readonly #violations: string[] = [];
  readonly #rows = new Map<string, Scoreboard>();

  /** Reads what was written as JSON. */
  static from({ figures, highest, violations, rows }: WrittenBoard): Scoreboard {
    const board = new Scoreboard();
    for (const [name, value] of Object.entries(figures))
      if (highest.includes(name)) board.highest(name, value);
      else board.count(name, value);
    for (const text of violations) board.violation(text);
    for (const [name, row] of Object.entries(rows)) board.row(name).add(Scoreboard.from(row));
    return board;
  }

  /** Adds to a figure: `count("kills")`. Figures are shown in the order in which they first appear. */
  count(name: string, by = 1): void {
    this.#figures.set(name, this.of(name) + by);
  }

  /** Keeps the highest value of a figure: `highest("slowest answer, ms", 12)`. */
  highest(name: string, value: number): void {
    this.#highest.add(name);
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

  /** The scoreboard of one part of an attack, for a table of its own. */
  row(name: string): Scoreboard {
    const row = this.#rows.get(name) ?? new Scoreboard();
    this.#rows.set(name, row);
    return row;
  }

  get rows(): ReadonlyMap<string, Scoreboard> {
    return this.#rows;
  }

  /** Adds what another run has found. */
  add(other: Scoreboard): void {
    for (const [name, value] of other.#figures)
      if (other.#highest.has(name)) this.highest(name, value);
      else this.count(name, value);
    this.#violations.push(...other.#violations);
    for (const [name, row] of other.#rows) this.row(name).add(row);
  }

  toJSON(): WrittenBoard {
    return {
      figures: this.figures,
      highest: [...this.#highest],
      violations: this.#violations,
      rows: Object.fromEntries([...this.#rows].map(([name, row]) => [name, row.toJSON()])),
    };
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
    const shown = this.kindsOfViolations().map(
      ({ count, example }) => `  violation, ${count} of this kind: ${example.slice(0, MAX_CHARACTERS)}`,
    );
    return [...table, ...shown].join("\n");
  }

  /** Each kind of violation once, but not more kinds than somebody reads. */
  kindsOfViolations(): { count: number; example: string }[] {
    const kinds = Map.groupBy(this.#violations, (text) => text.replace(/\d+/g, "#").slice(0, KIND_CHARACTERS));
    return [...kinds.values()]
      .slice(0, MAX_SHOWN)
      .map((those) => ({ count: those.length, example: those[0] as string }));
  }
}

/** A scoreboard as JSON, from one process to another. */
export interface WrittenBoard {
  readonly figures: Readonly<Record<string, number>>;
  readonly highest: readonly string[];
  readonly violations: readonly string[];
  readonly rows: Readonly<Record<string, WrittenBoard>>;
}

/** Violations are of one kind if they begin alike apart from numbers. */
const KIND_CHARACTERS = 120;
const MAX_SHOWN = 30;
const MAX_CHARACTERS = 600;
