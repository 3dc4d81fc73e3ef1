import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";

const HELPERS = `
import { closeSync, openSync } from "node:fs";
/** Opens files until only so many more can be opened. Returns how to close them. */
const useUp = (left) => {
  const opened = [];
  try { for (;;) opened.push(openSync("/dev/null", "r")); } catch {}
  for (const each of opened.splice(opened.length - left, left)) closeSync(each);
  return () => { for (const each of opened.splice(0)) closeSync(each); };
};
const said = [];
const say = (text) => void said.push(text);
`;

/** Runs a script in a process that can open few files. Returns what it says; it may call useUp(left). */
export async function atFileLimit(script: string): Promise<unknown> {
  const path = join(temporaryFolder(), "script.ts");
  await Bun.write(path, `${HELPERS}${script}\nconsole.log(JSON.stringify(said));\nprocess.exit(0);`);
  const limited = ["sh", "-c", 'ulimit -n 100; exec "$@"', "sh", process.execPath, path];
  const { stdout, stderr } = Bun.spawn(limited, { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([stdout.text(), stderr.text()]);
  return out === "" ? err : JSON.parse(out);
}
