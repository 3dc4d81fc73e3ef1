import type { AnyOperation, PublicUrls } from "../declare/operation.ts";
import type { Json } from "./components.ts";

// Requests that can be pasted and run. In all of them, the key is in the environment, as API_KEY.

type SampleRequest = ReturnType<typeof sampleOf>;

export function samplesOf(operation: AnyOperation, urls: PublicUrls): Json[] {
  const request = sampleOf(operation, urls);
  return [
    { lang: "Shell", label: "curl", source: curl(request) },
    { lang: "JavaScript", label: "JavaScript", source: javascript(request) },
    { lang: "Python", label: "Python", source: python(request) },
  ];
}

function sampleOf(operation: AnyOperation, { publicUrl }: PublicUrls) {
  const { method, path, parameters, body, idempotency, sampleQuery } = operation;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(parameters[name].example));
  return {
    method,
    url: `${publicUrl}${filled}${sampleQuery ? `?${sampleQuery}` : ""}`,
    body: body && JSON.stringify(Object.values(body.examples)[0]),
    takesIdempotencyKey: idempotency !== undefined,
  };
}

function curl({ method, url, body, takesIdempotencyKey }: SampleRequest): string {
  const lines = [
    `curl${method === "GET" || method === "POST" ? "" : ` -X ${method}`} -H "Authorization: Bearer $API_KEY"`,
  ];
  if (takesIdempotencyKey) lines.push('-H "Idempotency-Key: $(uuidgen)"');
  if (body) lines.push(`-H "Content-Type: application/json" -d '${body}'`);
  return [...lines, `"${url}"`].join(" \\\n  ");
}

/** The response is shown as text: JSON.parse would round large integers. */
function javascript({ method, url, body, takesIdempotencyKey }: SampleRequest): string {
  const headers = ['Authorization: "Bearer " + process.env.API_KEY'];
  if (takesIdempotencyKey) headers.push('"Idempotency-Key": crypto.randomUUID()');
  if (body) headers.push('"Content-Type": "application/json"');
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}"`]),
    `headers: {\n${headers.map((header) => `    ${header},\n`).join("")}  }`,
    ...(body ? [`body: ${JSON.stringify(body)}`] : []),
  ];
  return `const response = await fetch("${url}", {\n${options.map((option) => `  ${option},\n`).join("")}});\nconsole.log(response.status, await response.text());`;
}

function python({ method, url, body, takesIdempotencyKey }: SampleRequest): string {
  const headers = ['"Authorization": "Bearer " + os.environ["API_KEY"]'];
  if (takesIdempotencyKey) headers.push('"Idempotency-Key": str(uuid.uuid4())');
  if (body) headers.push('"Content-Type": "application/json"');
  const args = [
    `"${url}"`,
    `method="${method}"`,
    `headers={\n${headers.map((header) => `        ${header},\n`).join("")}    }`,
    // Python reads JSON strings in the same way.
    ...(body ? [`data=${JSON.stringify(body)}.encode()`] : []),
  ];
  const modules = ["os", "urllib.request", ...(takesIdempotencyKey ? ["uuid"] : [])];
  return `import ${modules.join(", ")}\n\nrequest = urllib.request.Request(\n${args.map((arg) => `    ${arg},\n`).join("")})\nwith urllib.request.urlopen(request) as response:\n    print(response.status, response.read().decode())`;
}
