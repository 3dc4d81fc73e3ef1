import { describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const read = (name: string): Promise<string> => Bun.file(join(ROOT, name)).text();

/** Every file of the project, also in a copy without Git. */
const FILES = [
  ...new Bun.Glob("{src,test,client,console,scripts,bench,torture,deploy,docs,bin,types,.ci,.github}/**").scanSync({
    cwd: ROOT,
    dot: true,
  }),
  ...new Bun.Glob("*").scanSync({ cwd: ROOT, dot: true }),
].filter((file) => !/(^|\/)(node_modules|dist|out|build)\//.test(file));
const KNOWN = new Set(FILES.flatMap((file) => file.split("/").map((_, i, parts) => parts.slice(0, i + 1).join("/"))));

const DOCUMENTS = await Promise.all(
  FILES.filter((file) => /^(docs\/|client\/|bench\/)?[^/]*\.md$/.test(file)).map(async (file) => ({
    file,
    text: await read(file),
  })),
);
const textOf = (file: string): string => DOCUMENTS.find((one) => one.file === file)?.text ?? "";

describe("files and sections exist that documents name", () => {
  /** Changelogs name files of earlier releases. */
  const current = DOCUMENTS.filter(({ file }) => !file.endsWith("CHANGELOG.md"));
  const SOURCE = /^[\w.-]+(\/[\w.-]+)*\.(ts|tsx|js|cjs|sql|lua|c|css|sh)$/;
  const FOLDER = /^(src|test|client|console|scripts|bench|torture|deploy|docs|bin|types)(\/[\w.-]+)*\/?$/;
  const isThere = (path: string): boolean =>
    KNOWN.has(path.replace(/\/$/, "")) || FILES.some((file) => file.endsWith(`/${path}`));

  for (const { file, text } of current)
    test(file, () => {
      const prose = text.replaceAll(/^```.*?^```$/gms, "");
      const paths = [...prose.matchAll(/`([^`\s]+)`/g)]
        .map(([, path = ""]) => path)
        .filter((path) => SOURCE.test(path) || (path.includes("/") && FOLDER.test(path)))
        .filter((path) => path !== "bench/out/"); // Made by `npm run bench`.
      expect(paths.filter((path) => !isThere(path))).toEqual([]);

      const links = [...text.matchAll(/(?:\]\(|src(?:set)?=")([^)\s"]+)/g)].map(([, link = ""]) => link);
      expect(links.filter((link) => !/^https?:/.test(link) && !leads(file, link))).toEqual([]);
    });

  /** True if a link leads to an existing file, and to an existing section if it names one. */
  function leads(from: string, link: string): boolean {
    const [path = "", section] = link.split("#");
    const target = path === "" ? from : join(dirname(from), path).replace(/\/$/, "");
    if (!KNOWN.has(target)) return false;
    return section === undefined || sectionsOf(textOf(target)).includes(section);
  }

  /** The anchors of a document's headings, in GitHub's form. */
  function sectionsOf(text: string): string[] {
    return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, "")
        .replaceAll(" ", "-"),
    );
  }
});
