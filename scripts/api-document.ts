/** The parts of an OpenAPI document that the generator reads. */
export interface ApiDocument {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

export interface Content {
  readonly content?: { readonly "application/json": { readonly schema: Schema } };
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly "x-extensible-enum"?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by path
type Json = any;

/** A copy with the parameters and responses of operations in their places, where the document refers to shared ones. */
export const inlined = <Document>(document: Document): Document =>
  JSON.parse(JSON.stringify(document), (_, value) => {
    const [, kind, name] = /^#\/components\/(parameters|responses)\/(\w+)$/.exec(value?.$ref) ?? [];
    return kind && name ? JSON.parse(JSON.stringify((document as Json).components[kind][name])) : value;
  });
