import { type Client, sendPatiently } from "./client.ts";

export interface ListPage {
  readonly target: string;
  readonly status: number;
  readonly body: string;
}

/** Follows the links of a list through all pages. Ends early if the service no longer answers. */
export async function* pagesOf(client: Client, first: string): AsyncGenerator<ListPage> {
  for (let target: string | undefined = first; target; ) {
    const outcome = await sendPatiently(client, { method: "GET", target });
    if (outcome.kind === "silence") return;
    yield { target, status: outcome.status, body: outcome.body };
    target = /<[^>]*\/v1([^>]+)>; rel="next"/.exec(outcome.headers.get("link") ?? "")?.[1];
  }
}
