import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, type Environment, readConfig, SETTINGS } from "../../../src/config.ts";

const ROOT = join(import.meta.dir, "../../..");

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by path
export type Document = any;

export const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** All documents of a YAML file. */
export function documentsIn(path: string): Document[] {
  const parsed = Bun.YAML.parse(textOf(path));
  return Array.isArray(parsed) ? parsed : [parsed];
}

/** The settings of the image, which others may replace. */
export function imageEnvironment(): Record<string, string> {
  const [, pairs = ""] = /^ENV (.+)$/m.exec(textOf("Dockerfile")) ?? [];
  return Object.fromEntries(pairs.split(" ").map((pair) => pair.split("=") as [string, string]));
}

/** The settings of a container: every name is one of ours, and every value is right. */
export function configOf(environment: Environment): Config {
  const unknown = Object.keys(environment).filter((name) => !(name in SETTINGS));
  if (unknown.length > 0) throw new Error(`no such settings: ${unknown.join(", ")}`);
  const result = readConfig({ ...imageEnvironment(), ...environment });
  if ("mistakes" in result) throw new Error(result.mistakes.join("; "));
  return result.config;
}

/** The seconds that an instance needs after DRAIN_SECONDS: for requests in progress, for its log, and some room. */
export const STOP_SECONDS = 6 + 1 + 3;
