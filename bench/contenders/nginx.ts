import type { Answer } from "../common/tools.ts";

/** Quotes text for a configuration file. A dollar sign would begin a variable, and cannot be escaped. */
function quoted(text: string): string {
  if (text.includes("$")) throw new Error(`nginx cannot be configured to send ${text}`);
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** An nginx that sends the same response to every request: one worker, persistent connections, no log. */
export function nginxConfiguration({ status, headers, body }: Answer, port: number, folder: string): string {
  const { "Content-Type": type = "", ...others } = headers;
  const headerLines = Object.entries(others).map(([name, value]) => `add_header ${name} ${quoted(value)} always;`);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder};`);
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  server_tokens off;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  default_type ${type};
  ${paths.join("\n  ")}
  server {
    listen 127.0.0.1:${port};
    location / {
      ${headerLines.join("\n      ")}
      return ${status} ${quoted(body)};
    }
  }
}
`;
}
