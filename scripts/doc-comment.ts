const LINE_WIDTH = 120;

/** Makes a doc comment with examples, or nothing if there is no text. */
export function docComment(text: string, examples: readonly string[] = [], indent = ""): string {
  const width = LINE_WIDTH - indent.length - " * ".length;
  const lines = [...(text === "" ? [] : text.split("\n").flatMap((line) => wrapped(line, width))), ...examples];
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join("")}${indent} */\n`;
}

/** Wraps a text into lines. Continuation lines of a list item are indented. */
function wrapped(text: string, width: number): readonly string[] {
  if (text === "") return [""];
  const hanging = text.startsWith("- ") ? "  " : "";
  const lines = text.match(new RegExp(`(?=\\S).{1,${width - hanging.length}}(?=\\s|$)`, "g")) ?? [];
  return lines.map((line, i) => (i === 0 ? line : hanging + line));
}

/** Writes a value as a TypeScript literal: on one line, or with a line for each part if that would be too long. */
export function literal(value: unknown, indent = "", width = LINE_WIDTH - 20): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = (inner: string): string[] =>
    Object.entries(value).map(([name, part]) => `${isList ? "" : `${name}: `}${literal(part, inner, width)}`);
  const line = isList ? `[${parts("").join(", ")}]` : `{ ${parts("").join(", ")} }`;
  if (line.length + indent.length <= width && !line.includes("\n")) return line;
  const inner = `${indent}  `;
  const lines = parts(inner).map((part) => `${inner}${part},\n`);
  return `${isList ? "[" : "{"}\n${lines.join("")}${indent}${isList ? "]" : "}"}`;
}
