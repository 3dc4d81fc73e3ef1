import { readFileSync } from "node:fs";
import { type Environment, SETTINGS } from "../config.ts";
import { OperatorError } from "../domain/operator-error.ts";

const ENV_FILE = ".env";

/**
 * The settings in the .env file of the current folder, if there is one. Other variables in it are ignored:
 * some would change what the runtime does.
 */
export function readEnvFile(): Environment {
  const text = textOfEnvFile();
  if (text === undefined) return {};
  const variables = process.getBuiltinModule("node:util").parseEnv(text);
  return Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, variables[name]]));
}

function textOfEnvFile(): string | undefined {
  try {
    return readFileSync(ENV_FILE, "utf8");
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "ENOENT") return undefined;
    throw new OperatorError(
      `cannot read the file ${ENV_FILE} in this folder: ${message}. Make it readable, or move it`,
    );
  }
}
