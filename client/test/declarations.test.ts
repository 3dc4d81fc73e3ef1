import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { ApiDocument } from "../../scripts/api-document.ts";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { complaints, newConsumer, PACKED_TYPES, typescript5 } from "./harness/typescript.ts";

// Doc comments of the published client, as an editor shows them.

/** A declaration that users see: an export, or a member of one. */
interface Declared {
  /** The qualified name, such as `Pets.list`. */
  readonly name: string;
  readonly isExport: boolean;
  /** True for a property, whose example is a value. */
  readonly isProperty: boolean;
  readonly comment: string;
  readonly examples: readonly string[];
  readonly deprecated: string | undefined;
}

/** Lists every export of the declarations and its members. Runs on Node, because the compiler is slower elsewhere. */
const WALK = `
  const ts = require(process.argv[2]);
  const program = ts.createProgram([process.argv[3]], { module: 199, moduleResolution: 99, target: 9, types: [] });
  const checker = program.getTypeChecker();
  const declared = [];
  const note = (name, symbol, isExport) => {
    for (const declaration of symbol.declarations) {
      const signature = ts.isFunctionLike(declaration) && checker.getSignatureFromDeclaration(declaration);
      const tags = (signature || symbol).getJsDocTags(checker);
      const textsOf = (tag) => tags.filter((one) => one.name === tag).map((one) => ts.displayPartsToString(one.text));
      declared.push({
        name,
        isExport,
        isProperty: ts.isPropertySignature(declaration),
        comment: ts.displayPartsToString((signature || symbol).getDocumentationComment(checker)),
        examples: textsOf("example"),
        deprecated: textsOf("deprecated")[0],
      });
    }
  };
  const index = checker.getSymbolAtLocation(program.getSourceFile(process.argv[3]));
  for (const exported of checker.getExportsOfModule(index)) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    note(exported.name, symbol, true);
    for (const [name, member] of symbol.members ?? [])
      if (!/^__/.test(name) && !(member.flags & ts.SymbolFlags.TypeParameter))
        note(exported.name + "." + name, member, false);
  }
  console.log(JSON.stringify(declared));`;

async function readDeclarations(): Promise<readonly Declared[]> {
  const script = join(temporaryFolder(), "walk.cjs");
  await Bun.write(script, WALK);
  const child = Bun.spawn(["node", script, typescript5, PACKED_TYPES], { stdin: "ignore", stdout: "pipe" });
  return JSON.parse(await child.stdout.text());
}

const declared = await readDeclarations();
const document = (await Bun.file(new URL("../../openapi.json", import.meta.url)).json()) as ApiDocument;

test("there is nothing for users but what is meant for them", () => {
  const exported = declared.filter(({ isExport }) => isExport).map(({ name }) => name);
  expect([...new Set(exported)].sort()).toEqual([
    "AnimalStore",
    "AnimalStoreError",
    "AnimalStoreOptions",
    "Answer",
    "Call",
    "CallOptions",
    "Categories",
    "Category",
    "CategoryUpdate",
    "ClientErrorCode",
    "ConditionalReadOptions",
    "ConditionalWriteOptions",
    "DeprecationEvent",
    "ErrorCode",
    "HttpMethod",
    "Int64",
    "Int64Input",
    "Key",
    "LimitedWindow",
    "Limits",
    "ListCall",
    "ListCategoriesQuery",
    "ListOrdersQuery",
    "ListPetsQuery",
    "NewPet",
    "Order",
    "OrderPlacement",
    "OrderStatus",
    "OrderUpdate",
    "Orders",
    "OutgoingEvent",
    "Page",
    "Pet",
    "PetStatus",
    "PetUpdate",
    "Pets",
    "PutOptions",
    "Quota",
    "RequestEvent",
    "RequestOptions",
    "ResponseEvent",
    "RetryEvent",
    "WriteOptions",
  ]);
});

test("every export and every member says what it is", () => {
  expect(declared.length).toBeGreaterThan(100);
  expect(
    declared.filter(({ comment, deprecated = "" }) => comment + deprecated === "").map(({ name }) => name),
  ).toEqual([]);
});

test("every export has an example", () => {
  const without = declared.filter(({ isExport, examples }) => isExport && examples.length === 0);
  expect(without.map(({ name }) => name)).toEqual([]);
});

describe("examples", () => {
  /** The declarations that the examples rely on. */
  const SURROUNDINGS = `
    import { AnimalStore, AnimalStoreError } from "animal-store-client";
    import type * as client from "animal-store-client";
    declare const store: AnimalStore;
    declare const apiKey: string;
    declare const error: unknown;
    declare const rex: client.Pet;
    declare const order: client.Order;
    declare const petId: client.Int64;
    declare const invoice: { id: number };
    declare const log: Record<"debug" | "info" | "warn", (text: string) => void>;
    declare const secrets: { read(name: string): Promise<string> };
    declare function traceparent(): string;
    declare function showSpinnerAgain(): void;`;

  const codeOf = ({ name, isProperty }: Declared, example: string, i: number): string => {
    const [type, field] = name.split(".");
    if (isProperty) return `const value${i}: NonNullable<client.${type}["${field}"]> = ${example};`;
    return `async function example${i}(): Promise<unknown> {\n${example}\nreturn; }`;
  };

  test("compile", async () => {
    const names = declared.filter(({ isExport, name }) => isExport && !/^(AnimalStore|AnimalStoreError)$/.test(name));
    const types = names.map(({ name }) => name).filter((name, i, all) => all.indexOf(name) === i);
    const imports = `import type { ${types.join(", ")} } from "animal-store-client";`;
    const code = declared.flatMap((one) => one.examples.map((example) => ({ one, example })));
    const text = [SURROUNDINGS, imports, ...code.map(({ one, example }, i) => codeOf(one, example, i)), "export {};"];
    const folder = newConsumer({ "examples.ts": text.join("\n\n") });
    const options = { module: "nodenext", lib: ["es2022", "dom"], types: [], verbatimModuleSyntax: false };
    expect(await complaints("TypeScript 7", folder, options)).toBe("");
    expect(code.length).toBeGreaterThan(60);
  });
});

test("what is deprecated is what the document deprecates, with its date and what to use instead", () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const deprecated = operations.filter((operation) => operation.deprecated);
  expect(deprecated.map(({ operationId }) => operationId)).toEqual(["getPet"]);
  const date = /\d{1,2} \w+ \d{4}/.exec(deprecated[0]?.description ?? "")?.[0];
  const marked = declared.filter((one) => one.deprecated !== undefined);
  expect(marked.map(({ name }) => name)).toEqual(["Pets.get", "Pets.get"]);
  for (const { deprecated = "" } of marked) {
    expect(deprecated).toContain(`Removed on ${date}. Use \`find(id)\``);
  }
});
