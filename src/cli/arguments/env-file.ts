import { readFileSync } from "node:fs";
import { OperatorError } from "../../base/operator-error.ts";
import { type Misspelling, misspeltInEnvironment, misspeltInFile } from "../../base/text/misspelling.ts";
import { type Environment, SETTINGS, type SettingSource } from "../../config.ts";

const ENV_FILE = ".env";

/**
 * The settings in the .env file of the current folder, if there is one. Other variables in it are ignored:
 * some would change what the runtime does.
 */
export function readEnvFile(): Environment {
  const variables = variablesInFile();
  return Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, variables[name]]));
}

/** The names in the environment and in the .env file that are probably settings, misspelt. */
export function misspeltSettings() {
  const settings = Object.keys(SETTINGS);
  const from = (source: SettingSource) => (each: Misspelling) => ({ ...each, source });
  return [
    ...misspeltInEnvironment(Object.keys(process.env), settings).map(from("environment")),
    ...misspeltInFile(Object.keys(variablesInFile()), settings).map(from(ENV_FILE)),
  ];
}

function variablesInFile(): Environment {
  try {
    const text = readFileSync(ENV_FILE, "utf8");
    return process.getBuiltinModule("node:util").parseEnv(text);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "ENOENT") return {};
    throw new OperatorError(
      `cannot read the file ${ENV_FILE} in this folder: ${message}. Make it readable, or move it`,
    );
  }
}
