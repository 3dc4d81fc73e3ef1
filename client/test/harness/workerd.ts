import { join } from "node:path";
import workerd, { compatibilityDate } from "workerd";
import { atEnd } from "../../../test/harness/cleanup.ts";
import { projectWithClient } from "./project.ts";

/** Starts an edge worker that imports the client, bundled as for deployment. Returns its origin. */
export async function startWorker(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = projectWithClient();
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
  await Bun.build({ entrypoints: [join(folder, "main.js")], outdir: join(folder, "out"), target: "browser" });
  await Bun.write(join(folder, "worker.capnp"), CONFIG);
  const child = Bun.spawn([workerd, "serve", "worker.capnp", "--control-fd=1"], {
    cwd: folder,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  atEnd(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    const port = /"port":(\d+)/.exec(decoder.decode(chunk))?.[1];
    if (port) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`workerd did not start: ${await child.stderr.text()}`);
}

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "main.js", esModule = embed "out/main.js")],
      compatibilityDate = "${compatibilityDate}",
    )),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
