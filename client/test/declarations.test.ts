import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { ApiDocument } from "../../scripts/api-document.ts";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { complaints, newConsumer, PACKED_TYPES, typescript5 } from "./harness/typescript.ts";

// Doc comments of the published client, as an editor shows them.

/** The modules of the package. */
type Module = "animal-store-client" | "animal-store-client/testing";

/** A declaration that users see: an export, or a member of one. */
interface Declared {
  readonly module: Module;
  /** The qualified name, such as `Pets.list`. */
  readonly name: string;
  readonly isExport: boolean;
  /** True for a property, whose example is a value. */
  readonly isProperty: boolean;
  readonly comment: string;
  readonly examples: readonly string[];
  readonly deprecated: string | undefined;
}

/** Lists every export of each module's declarations and its members. Runs on Node, because the compiler is slower elsewhere. */
const WALK = `
  const ts = require(process.argv[2]);
  const modules = JSON.parse(process.argv[3]);
  const options = { module: 199, moduleResolution: 99, target: 9, types: [] };
  const program = ts.createProgram(Object.values(modules), options);
  const checker = program.getTypeChecker();
  const declared = [];
  const note = (module, name, symbol, isExport) => {
    for (const declaration of symbol.declarations) {
      const signature = ts.isFunctionLike(declaration) && checker.getSignatureFromDeclaration(declaration);
      const tags = (signature || symbol).getJsDocTags(checker);
      const textsOf = (tag) => tags.filter((one) => one.name === tag).map((one) => ts.displayPartsToString(one.text));
      declared.push({
        module,
        name,
        isExport,
        isProperty: ts.isPropertySignature(declaration),
        comment: ts.displayPartsToString((signature || symbol).getDocumentationComment(checker)),
        examples: textsOf("example"),
        deprecated: textsOf("deprecated")[0],
      });
    }
  };
  for (const [module, types] of Object.entries(modules))
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(types)))) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      note(module, exported.name, symbol, true);
      for (const [name, member] of symbol.members ?? [])
        if (!/^__/.test(name) && !(member.flags & ts.SymbolFlags.TypeParameter))
          note(module, exported.name + "." + name, member, false);
    }
  console.log(JSON.stringify(declared));`;

async function readDeclarations(modules: Readonly<Record<Module, string>>): Promise<readonly Declared[]> {
  const script = join(temporaryFolder(), "walk.cjs");
  await Bun.write(script, WALK);
  const command = ["node", script, typescript5, JSON.stringify(modules)];
  return JSON.parse(await Bun.spawn(command, { stdin: "ignore", stdout: "pipe" }).stdout.text());
}

const declared = await readDeclarations({
  "animal-store-client": PACKED_TYPES,
  "animal-store-client/testing": PACKED_TYPES.replace("index", "testing"),
});
const document = (await Bun.file(new URL("../../openapi.json", import.meta.url)).json()) as ApiDocument;

test("there is nothing for users but what is meant for them", () => {
  const exportedBy = (module: Module) =>
    [...new Set(declared.filter((one) => one.isExport && one.module === module).map(({ name }) => name))].sort();
  expect(exportedBy("animal-store-client/testing")).toEqual([
    "TestClock",
    "TestFailure",
    "TestKeyOptions",
    "TestRequest",
    "TestStore",
    "TestStoreOptions",
    "createTestStore",
  ]);
  expect(exportedBy("animal-store-client")).toEqual([
    "AnimalStore",
    "AnimalStoreError",
    "AnimalStoreOptions",
    "Answer",
    "BulkCall",
    "BulkOptions",
    "BulkProgress",
    "BulkReport",
    "Call",
    "CallOptions",
    "Categories",
    "Category",
    "CategoryId",
    "CategoryUpdate",
    "ClientClock",
    "ClientErrorCode",
    "ConditionalReadOptions",
    "ConditionalWriteOptions",
    "CreatedRow",
    "DeprecationEvent",
    "ErrorCode",
    "FailedRow",
    "FailureEvent",
    "GetKeyUsageQuery",
    "HttpMethod",
    "Int64",
    "Int64Input",
    "Key",
    "KeyRequest",
    "LimitedWindow",
    "Limits",
    "ListCall",
    "ListCategoriesQuery",
    "ListKeyRequestsQuery",
    "ListOrdersQuery",
    "ListPetsQuery",
    "Logger",
    "NewPet",
    "Operation",
    "OperationId",
    "Order",
    "OrderId",
    "OrderPlacement",
    "OrderStatus",
    "OrderUpdate",
    "Orders",
    "OutgoingEvent",
    "Page",
    "Pet",
    "PetId",
    "PetStatus",
    "PetUpdate",
    "Pets",
    "PutOptions",
    "Quota",
    "RefusalCounts",
    "RequestEvent",
    "RequestOptions",
    "ResponseEvent",
    "RetryEvent",
    "RotatedKey",
    "RowOutcome",
    "Rows",
    "SecretRotation",
    "Usage",
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
    import { createTestStore } from "animal-store-client/testing";
    declare const store: AnimalStore;
    declare const test: TestStore;
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
    const names = declared.filter(
      ({ isExport, name }) => isExport && !/^(AnimalStore|AnimalStoreError|createTestStore)$/.test(name),
    );
    const imports = Map.groupBy(names, ({ module }) => module)
      .entries()
      .map(
        ([module, all]) => `import type { ${[...new Set(all.map(({ name }) => name))].join(", ")} } from "${module}";`,
      );
    const code = declared.flatMap((one) => one.examples.map((example) => ({ one, example })));
    const text = [
      SURROUNDINGS,
      ...imports,
      ...code.map(({ one, example }, i) => codeOf(one, example, i)),
      "export {};",
    ];
    const folder = newConsumer({ "examples.ts": text.join("\n\n") });
    const options = { module: "nodenext", lib: ["es2022", "dom"], types: [], verbatimModuleSyntax: false };
    expect(await complaints("TypeScript 7", folder, options)).toBe("");
    expect(code.length).toBeGreaterThan(60);
  });
});

describe("an id", () => {
  const CODE = `
    import { AnimalStore, type CategoryId, type Int64, type Int64Input, type OrderId, type PetId } from "animal-store-client";
    import type { Category, Order, Pet } from "animal-store-client";
    declare const store: AnimalStore;
    declare const pet: Pet;
    declare const order: Order;
    declare const category: Category;
    declare const text: string;
    declare const digits: Int64;`;

  /** Statements that compile; those in WRONG have one mistake each. */
  const RIGHT = [
    "store.pets.find(pet.id)",
    "store.pets.update(order.petId, {})",
    "store.orders.approve(order.id)",
    "store.orders.place({ petId: pet.id })",
    "store.orders.list({ petId: order.petId })",
    "store.pets.list({ categoryId: category.id, id: [pet.id, order.petId] })",
    "store.pets.create({ name: pet.name, categoryId: pet.categoryId })",
    "store.categories.put(pet.categoryId, { name: text })",
    // A string, a number or a bigint may be the id of anything.
    "store.orders.approve(text)",
    "store.orders.approve(digits)",
    'store.orders.approve("7")',
    "store.orders.approve(7)",
    "store.orders.approve(7n)",
    "store.pets.find(text as Int64Input<PetId>)",
    "new Map<PetId, Pet>().get(text)",
    "new Map<Int64, Pet>().set(pet.id, pet)",
    "[order.id as OrderId, text].includes(text)",
    "{ const id: PetId = text; const back: string = id; void back; }",
    "{ const byId: Record<CategoryId, Category> = { [category.id]: category }; void byId[text]; }",
    'pet.categoryId === "7"',
  ];
  const WRONG = [
    "store.orders.approve(pet.id)",
    "store.orders.get(order.petId)",
    "store.orders.cancel(category.id)",
    "store.pets.find(order.id)",
    "store.pets.delete(pet.categoryId)",
    "store.pets.list({ id: order.id })",
    "store.pets.list({ id: [pet.id, order.id] })",
    "store.pets.list({ categoryId: pet.id })",
    "store.pets.create({ name: text, categoryId: pet.id })",
    "store.pets.update(pet.id, { categoryId: order.id })",
    "store.orders.place({ petId: order.id })",
    "store.orders.list({ petId: category.id })",
    "store.categories.get(pet.id)",
    "{ const id: PetId = order.id; void id; }",
  ];

  test("of one thing is not taken for that of another, and every string may be one", async () => {
    const lines = [...RIGHT, ...WRONG].map((line) => `${line.startsWith("{") ? "" : "void "}${line};`);
    const folder = newConsumer({ "ids.ts": [...CODE.split("\n"), ...lines].join("\n") });
    const options = { module: "nodenext", lib: ["es2022", "dom"], types: [] };
    for (const compiler of ["TypeScript 7", "TypeScript 5"] as const) {
      const said = await complaints(compiler, folder, options);
      const first = CODE.split("\n").length + 1;
      const faulty = [...said.matchAll(/^ids\.ts\((\d+)/gm)].map(([, line]) => Number(line) - first);
      expect([compiler, [...new Set(faulty)]]).toEqual([compiler, WRONG.map((_, i) => RIGHT.length + i)]);
    }
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
