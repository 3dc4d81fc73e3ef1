import type { Pass } from "../../../access/gate.ts";
import { Mistake } from "../../../base/mistake.ts";
import { done } from "../../../base/result.ts";
import { andThen } from "../../../base/time/awaitable.ts";
import { jsonPageOf } from "../../../domain/page.ts";
import {
  KEPT_PER_HOUR,
  parseStatusRange,
  STATUS_PATTERN,
  type StatusRange,
  statusRangeText,
} from "../../../domain/usage/kept-request.ts";
import { operation } from "../../declare/operation.ts";
import { clashOfCursor, type ListedPage, PAGE_PARAMETERS, pageSuccess, renderPage } from "../../declare/paging.ts";
import { momentParameter, queryParameter, textParameter } from "../../declare/parameters.ts";
import type { Fault } from "../../faults/fault.ts";
import { invalidParameter } from "../../faults/faults.ts";
import { KEY_TAG } from "../../wire/key.ts";
import {
  KEY_REQUESTS,
  keyRequestJson,
  PASSED_REQUEST_EXAMPLE,
  REFUSED_REQUEST_EXAMPLE,
} from "../../wire/key-request.ts";

const CODE_MAX_CHARACTERS = 64;

const parameters = {
  ...PAGE_PARAMETERS,
  cursor: {
    ...PAGE_PARAMETERS.cursor,
    description: "Where the page begins, to go on with older requests. Opaque: take it from a `Link` header.",
  },
  status: queryParameter<StatusRange>({
    description: "Return only requests with this status, such as `400`, or of this class, such as `4xx`.",
    schema: { type: "string", pattern: STATUS_PATTERN },
    example: "4xx",
    parse: (text) => parseStatusRange(text) ?? new Mistake("must be a status such as 400, or a class such as 4xx"),
    format: statusRangeText,
  }),
  code: textParameter("Return only requests with this error code.", "invalid_value", CODE_MAX_CHARACTERS),
  since: momentParameter("Return only requests from this moment on.", "2026-11-15T00:00:00Z"),
  until: momentParameter("Return only requests from before this moment.", "2026-11-16T00:00:00Z"),
};

const render = renderPage("/key/requests", parameters, () => false);

const noTimeBetween = (): Fault => invalidParameter("until", 'must be later than "since"');

export const listKeyRequests = operation({
  name: "listKeyRequests",
  method: "GET",
  path: "/key/requests",
  tag: KEY_TAG,
  scope: undefined,
  isPersonal: true,
  summary: "List requests of your key",
  description: `The latest requests of the key that you call with, the newest first, with what was wrong with them. A request appears a few seconds after its response.

Of each hour, up to ${KEPT_PER_HOUR.failure} errors and refusals and ${KEPT_PER_HOUR.success} successful requests are kept, for a number of days that the operator chooses. Queries and bodies are not kept, nor are requests whose key was not valid.`,
  parameters,
  success: pageSuccess(KEY_REQUESTS, "A page of requests.", [REFUSED_REQUEST_EXAMPLE, PASSED_REQUEST_EXAMPLE]),
  faults: [noTimeBetween()],
  sampleQuery: "status=4xx",
  perform({ parameters: values, caller }, { usageStore }) {
    const { limit: size, cursor: after, status, code, since: sinceMs, until: untilMs } = values;
    const clash = clashOfCursor(after, undefined);
    if (clash) return clash;
    if (sinceMs !== undefined && untilMs !== undefined && untilMs <= sinceMs) return noTimeBetween();
    const { key } = caller as Pass;
    const page = usageStore.keptRequests({ keyId: key.id, status, code, sinceMs, untilMs, afterId: after?.id, size });
    return andThen(page, (rows) => done<ListedPage>(jsonPageOf(rows, keyRequestJson)));
  },
  // Without a tag: it is never the same for long.
  render(page, urls, call) {
    const { tag: _, survivesAdditions: __, ...rendered } = render(page, urls, call);
    return rendered;
  },
});
