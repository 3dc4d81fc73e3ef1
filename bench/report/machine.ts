import os from "node:os";

/** The machine that a run was measured on. */
export interface Machine {
  readonly date: string;
  readonly revision: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly fileSystem: string;
  readonly versions: string;
}

/** Describes this machine, including the file system of the folder with the databases. */
export function describeMachine(folder: string): Machine {
  const isChanged = outputOf("git", "status", "--porcelain", "--", "src", "bench", "package.json") !== "";
  return {
    date: new Date().toISOString().slice(0, 10),
    revision: (outputOf("git", "rev-parse", "--short", "HEAD") || "unknown") + (isChanged ? ", with changes" : ""),
    cpu: cpuModel(),
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 1e9),
    system: `${os.type()} ${os.release()}, ${os.arch()}`,
    fileSystem: outputOf("stat", "-f", "-c", "%T", folder) || "unknown",
    versions: [
      `Bun ${Bun.version}`,
      `Node ${outputOf("node", "--version").slice(1)}`,
      versionOf("wrk", "--version"),
      versionOf("nginx", "-v"),
    ]
      .filter(Boolean)
      .join(", "),
  };
}

/** The name of the processor, which some operating systems do not report. */
function cpuModel(): string {
  const listed = os.cpus()[0]?.model ?? "";
  if (listed !== "" && listed !== "unknown") return listed;
  return /^Model name:\s*(.+)$/m.exec(outputOf("lscpu"))?.[1] ?? "unknown";
}

/** The output of a program on either stream, or nothing if it is not installed. */
function outputOf(...command: string[]): string {
  if (!Bun.which(command[0] as string)) return "";
  const { stdout, stderr } = Bun.spawnSync(command, { cwd: import.meta.dir });
  return (stdout.toString() || stderr.toString()).trim();
}

function versionOf(tool: string, option: string): string {
  const version = /\d+\.\d+(\.\d+)?/.exec(outputOf(tool, option))?.[0];
  return version === undefined ? "" : `${tool} ${version}`;
}
