import type { Config } from "../../config.ts";
import { type Check, check, type Finding, ok, problem, warning } from "../../domain/checkup/checkup.ts";
import { checkPublicAddress } from "../../domain/checkup/public-address.ts";

// Checks that clients reach the service at the address in the settings.

const ANSWER_TIMEOUT_MS = 5_000;

export const addressChecks = ({ HOST, PUBLIC_URL, TRUSTED_PROXIES }: Config): Check[] => [
  check("public address", () =>
    checkPublicAddress({ host: HOST, publicUrl: PUBLIC_URL, hasTrustedProxies: TRUSTED_PROXIES !== undefined }),
  ),
  ...(PUBLIC_URL === undefined ? [] : [answersAt(PUBLIC_URL)]),
];

/** Some networks answer only from outside, so silence is a warning; a wrong answer is a problem. */
const answersAt = (publicUrl: string): Check =>
  check("public address leads to the service", async () => {
    const url = `${publicUrl}/key`;
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }).catch(
      (error: Error) => error,
    );
    if (response instanceof Error)
      return warning(
        `no answer from ${url}: ${response.message}`,
        "if the service is running, check its name in DNS, its proxy and its certificate; some networks only answer from outside",
      );
    return findingOf(url, response);
  });

async function findingOf(url: string, response: Response): Promise<Finding> {
  const location = response.headers.get("location");
  if (location !== null)
    return problem(`${url} redirects to ${location}`, "set PUBLIC_URL to the address that it leads to in the end");
  const { code, message } = ((await response.json().catch(() => null)) ?? {}) as { code?: unknown; message?: unknown };
  // Without a key, the service answers with one of its errors.
  if (typeof code === "string" && typeof message === "string") return ok(`${url} is answered by it`);
  return problem(
    `${url} is answered by something else, with status ${response.status}`,
    "check PUBLIC_URL, and what the proxy passes on: the path /v1 has to arrive as it is",
  );
}
