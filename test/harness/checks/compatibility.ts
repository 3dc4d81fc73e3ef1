import { inlined } from "../../../scripts/api-document.ts";

// These are the changes that would break a client generated from an older OpenAPI document.

// biome-ignore lint/suspicious/noExplicitAny: documents are walked by path
type Json = any;

/**
 * Every change from one document to another that would break such a client, a line each. A corrected place is
 * one whose pattern only says what was refused before, too.
 */
export function breakingChanges(before: Json, after: Json, correctedPatterns: readonly string[] = []): string[] {
  return new Comparison(inlined(before), inlined(after), correctedPatterns).run();
}

class Comparison {
  readonly #changes: string[] = [];
  readonly #compared = new Set<string>();

  constructor(
    private readonly before: Json,
    private readonly after: Json,
    private readonly correctedPatterns: readonly string[],
  ) {}

  run(): string[] {
    for (const [path, operations] of Object.entries<Json>(this.before.paths))
      for (const [method, old] of Object.entries<Json>(operations)) {
        const now = this.after.paths[path]?.[method];
        if (now) this.#operation(`${method.toUpperCase()} ${path}`, old, now);
        else this.#break(`${method.toUpperCase()} ${path}`, "is gone");
      }
    return this.#changes;
  }

  #break(where: string, what: string): void {
    this.#changes.push(`${where}: ${what}`);
  }

  #operation(where: string, old: Json, now: Json): void {
    if (old.operationId !== now.operationId) this.#break(where, `operationId was ${old.operationId}`);
    this.#parameters(where, old.parameters ?? [], now.parameters ?? []);
    this.#body(`${where} body`, old.requestBody, now.requestBody);
    for (const [status, response] of Object.entries<Json>(old.responses)) {
      const other = now.responses[status];
      if (other) this.#response(`${where} ${status}`, this.#old(response), this.#new(other));
      else this.#break(`${where} ${status}`, "is gone");
    }
    for (const status of Object.keys(now.responses))
      if (Number(status) < 400 && !old.responses[status] && !isOnlyOnRequest(status, now))
        this.#break(`${where} ${status}`, "is a new success");
  }

  #parameters(where: string, old: Json[], now: Json[]): void {
    const same = (a: Json) => (b: Json) => a.name === b.name && a.in === b.in;
    for (const parameter of old) {
      const other = now.find(same(parameter));
      const name = `${where} parameter ${parameter.name}`;
      if (!other) this.#break(name, "is gone");
      else this.#schema(name, parameter.schema, other.schema, "request");
    }
    for (const parameter of now)
      if (parameter.required && !old.find(same(parameter))?.required)
        this.#break(`${where} parameter ${parameter.name}`, "is now required");
  }

  #body(where: string, old: Json, now: Json): void {
    if (!old && now?.required) this.#break(where, "is now required");
    if (old && !now) this.#break(where, "is gone");
    if (!old || !now) return;
    this.#schema(where, old.content["application/json"].schema, now.content["application/json"].schema, "request");
  }

  #response(where: string, old: Json, now: Json): void {
    for (const [name, header] of Object.entries<Json>(old.headers ?? {})) {
      const other = now.headers?.[name];
      if (!other) this.#break(`${where} header ${name}`, "is gone");
      else if (this.#old(header).required && !this.#new(other).required)
        this.#break(`${where} header ${name}`, "is no longer always there");
    }
    const content = old.content?.["application/json"];
    const other = now.content?.["application/json"];
    if (content && !other) this.#break(where, "has no body any more");
    else if (content) this.#schema(where, content.schema, other.schema, "response");
  }

  #schema(where: string, oldRef: Json, newRef: Json, direction: "request" | "response"): void {
    const name = `${oldRef.$ref} ${newRef.$ref} ${direction}`;
    if (oldRef.$ref && newRef.$ref && this.#compared.has(name)) return;
    this.#compared.add(name);
    const old = this.#old(oldRef);
    const now = this.#new(newRef);
    if (old.type !== now.type) this.#break(where, `type was ${old.type}, is ${now.type}`);
    if (old.format !== now.format) this.#break(where, `format was ${old.format}, is ${now.format}`);
    this.#values(where, old, now, direction);
    if (old.items) this.#schema(`${where}[]`, old.items, now.items ?? {}, direction);
    this.#fields(where, old, now, direction);
  }

  /** A request may not lose a value, and a response may not gain one that clients do not know. */
  #values(where: string, old: Json, now: Json, direction: "request" | "response"): void {
    const [narrow, wide] = direction === "request" ? [old, now] : [now, old];
    const missing = (narrow.enum ?? []).filter((value: unknown) => wide.enum && !wide.enum.includes(value));
    if (missing.length > 0) this.#break(where, `${direction} values changed: ${missing}`);
    if (direction !== "request") return;
    if (now.enum && !old.enum) this.#break(where, "takes only listed values now");
    if (now.pattern && now.pattern !== old.pattern && !this.correctedPatterns.includes(where))
      this.#break(where, `pattern was ${old.pattern}, is ${now.pattern}`);
    if (now.additionalProperties === false && old.additionalProperties !== false)
      this.#break(where, "takes no other fields any more");
    for (const [bound, isNarrower] of Object.entries(NARROWER))
      if (now[bound] !== undefined && (old[bound] === undefined || isNarrower(now[bound], old[bound])))
        this.#break(where, `${bound} was ${old[bound]}, is ${now[bound]}`);
  }

  #fields(where: string, old: Json, now: Json, direction: "request" | "response"): void {
    for (const [name, field] of Object.entries<Json>(old.properties ?? {})) {
      const other = now.properties?.[name];
      if (other) this.#schema(`${where}.${name}`, field, other, direction);
      else this.#break(`${where}.${name}`, "is gone");
    }
    const required = { old: old.required ?? [], now: now.required ?? [] };
    const [all, some] = direction === "request" ? [required.old, required.now] : [required.now, required.old];
    for (const name of some)
      if (!all.includes(name))
        this.#break(`${where}.${name}`, direction === "request" ? "is now required" : "is no longer always there");
    const added = Object.keys(now.properties ?? {}).filter((name) => !old.properties?.[name]);
    if (direction === "response" && old.additionalProperties === false && added.length > 0)
      this.#break(where, `was closed, and has new fields: ${added}`);
  }

  readonly #old = (node: Json): Json => resolve(this.before, node);
  readonly #new = (node: Json): Json => resolve(this.after, node);
}

/** 304 is for those who send If-None-Match, and a client that does not know of it never does. */
const isOnlyOnRequest = (status: string, { parameters = [] }: Json): boolean =>
  status === "304" && parameters.some(({ name }: Json) => name === "If-None-Match");

const NARROWER: Record<string, (now: number, old: number) => boolean> = {
  minimum: (now, old) => now > old,
  maximum: (now, old) => now < old,
  minLength: (now, old) => now > old,
  maxLength: (now, old) => now < old,
  maxItems: (now, old) => now < old,
};

function resolve(document: Json, node: Json): Json {
  if (!node?.$ref) return node;
  return node.$ref
    .slice(2)
    .split("/")
    .reduce((parent: Json, name: string) => parent[name], document);
}
