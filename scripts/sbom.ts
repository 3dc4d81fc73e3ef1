// Writes what the executable contains, and under which licences: sbom.cdx.json (CycloneDX) and LICENSES.txt.
// Usage: bun scripts/sbom.ts [folder], by default build/

import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { type Bundled, bundledPackages } from "./sbom/packages.ts";
import { type Embedded, embeddedInBun } from "./sbom/runtime.ts";

const ROOT = join(import.meta.dir, "..");
const BUN_SOURCE = "https://github.com/oven-sh/bun";

function bill(packages: readonly Bundled[], embedded: readonly Embedded[]): object {
  const bun = `bun@${Bun.version}`;
  const parts = packages.map(ofPackage);
  const runtime = {
    type: "platform",
    "bom-ref": bun,
    name: "Bun",
    version: Bun.version,
    purl: `pkg:npm/${bun}`,
    licenses: licenses("MIT"),
    externalReferences: [{ type: "vcs", url: BUN_SOURCE, comment: `commit ${Bun.revision}` }],
    components: embedded.map(ofEmbedded),
  };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": manifest.name,
        name: manifest.name,
        version: manifest.version,
        licenses: licenses(manifest.license),
      },
    },
    components: [runtime, ...parts],
    dependencies: [{ ref: manifest.name, dependsOn: [bun, ...parts.map((part) => part["bom-ref"])] }],
  };
}

function ofPackage({ name, version, license, integrity }: Bundled) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const [, digest = ""] = integrity.split("sha512-");
  const hashes = [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }];
  return { type: "library", "bom-ref": purl, name, version, purl, licenses: licenses(license), hashes };
}

function ofEmbedded({ name, version, license, source }: Embedded) {
  const externalReferences = [{ type: "vcs", url: source }];
  return { type: "library", name, ...(version && { version }), licenses: licenses(license), externalReferences };
}

function licenses(text: string): object[] {
  // A sentence is no expression, and has commas.
  return text.includes(",") ? [{ license: { name: text } }] : [{ expression: text }];
}

function licenceTexts(packages: readonly Bundled[], embedded: readonly Embedded[]): string {
  const own = packages.map(
    ({ name, version, license, texts }) =>
      `${"=".repeat(80)}\n${name} ${version}: ${license}\n\n${texts.join("\n").trim() || "The package has no text of it."}\n`,
  );
  const list = embedded.map(
    ({ name, version, license, source }) => `- ${name}${version ? ` ${version}` : ""}: ${license} (${source})`,
  );
  return `What the executable of ${manifest.name} ${manifest.version} contains, and under which licences. It is ${manifest.license} itself.

Bun ${Bun.version}: MIT. Its package brings no texts: those of Bun and of what it links and embeds are in
${BUN_SOURCE}/blob/bun-v${Bun.version}/LICENSE.md and at the addresses below.
WebKit and TinyCC are under the LGPL: who passes the executable on also says how to link it with changed versions of
them, which is to build Bun with these, and then the program with that Bun (npm run build).

${list.join("\n")}

${own.join("\n")}`;
}

if (import.meta.main) {
  const folder = process.argv[2] ?? join(ROOT, "build");
  const [packages, embedded] = [await bundledPackages(), embeddedInBun(process.versions)];
  await Bun.write(join(folder, "sbom.cdx.json"), `${JSON.stringify(bill(packages, embedded), null, 2)}\n`);
  await Bun.write(join(folder, "LICENSES.txt"), licenceTexts(packages, embedded));
  console.error(
    `sbom.cdx.json and LICENSES.txt in ${folder}: ${packages.length} packages, Bun ${Bun.version}, ` +
      `and ${embedded.length} libraries in it`,
  );
}
