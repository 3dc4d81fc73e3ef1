import { OperatorError } from "../base/operator-error.ts";
import type { Awaitable } from "../base/time/awaitable.ts";
import { Fault } from "../http/faults/fault.ts";
import type { Caller } from "../http/pages/console/relay.ts";
import { SIGNED_IN, sessionCookiesIn } from "../http/pages/console/session-cookie.ts";
import { isRead } from "../http/pipeline/handler.ts";
import { answer, type Exchange, type Steps } from "../http/pipeline/pipeline.ts";
import { RequestLog } from "../http/pipeline/request-log.ts";
import { readBody } from "../http/request/body.ts";
import { StoreUnavailable } from "../store/ports/store.ts";
import { AttemptLimit } from "./auth/attempts.ts";
import { setCookie } from "./auth/cookie.ts";
import { isSameOrigin } from "./auth/origin.ts";
import { type Resumed, resume, signIn } from "./auth/session.ts";
import {
  BAD_TOKEN,
  ConsoleFault,
  FOREIGN_ORIGIN,
  MALFUNCTION,
  methodNotAllowed,
  NO_SUCH_PATH,
  operatorFault,
  SIGNED_OUT,
  STORE_AWAY,
  STORE_LOST,
  tooManyAttempts,
} from "./fault.ts";
import type { ConsoleAnswer, ConsoleCall, ConsoleHandler, ConsoleParts, ConsoleRoutes, Method } from "./handler.ts";
import { API_HEADERS } from "./headers.ts";

/** A request with the path parameters of the router. */
type RoutedRequest = Request & { readonly params?: Readonly<Record<string, string>> };

export type ApiHandler = (request: RoutedRequest, caller: Caller) => Awaitable<Response>;

/** A request of the pages. */
interface ConsoleExchange extends Exchange {
  readonly request: RoutedRequest;
  readonly caller: Caller;
}

type Admission =
  | { readonly kind: "refused"; readonly fault: ConsoleFault }
  | { readonly kind: "signing_in" }
  | ({ readonly kind: "signed_in" } & Resumed);

type Methods = ConsoleRoutes[`/${string}`];

/** The console's own API: by path, and everything else below it. */
export function createApi(
  parts: ConsoleParts,
  routes: ConsoleRoutes,
): { readonly byPath: Readonly<Record<string, ApiHandler>>; readonly rest: ApiHandler } {
  const shared = { parts, attempts: new AttemptLimit(parts.clock), requestLog: requestLogOf(parts) };
  const byPath = Object.entries(routes).map(([path, methods]) => [path, new ApiRoute(shared, path, methods).handle]);
  return { byPath: Object.fromEntries(byPath), rest: new ApiRoute(shared, "", undefined).handle };
}

export const requestLogOf = ({ log, failures, refusals, settings: { logRequests } }: ConsoleParts): RequestLog =>
  new RequestLog({ log, failures, refusals, logRequests }, "console: ");

const SIGN_IN_PATH = "/session";

interface SharedParts {
  readonly parts: ConsoleParts;
  readonly attempts: AttemptLimit;
  readonly requestLog: RequestLog;
}

/** Answers one path. A request meets, in this order: origin, session, path, method, form, then the handler. */
class ApiRoute implements Steps<ConsoleExchange, Admission, undefined, ConsoleAnswer> {
  constructor(
    private readonly shared: SharedParts,
    private readonly path: string,
    /** Undefined: there is no such path. */
    private readonly methods: Methods | undefined,
  ) {}

  readonly handle: ApiHandler = (request, caller) => {
    const { requestId, address } = caller;
    return answer(this, { request, caller, requestId, address, startedAtMs: performance.now() });
  };

  async admit({ request, caller }: ConsoleExchange): Promise<Admission> {
    const { parts } = this.shared;
    if (!isSameOrigin(request, caller, parts.settings)) return { kind: "refused", fault: FOREIGN_ORIGIN };
    if (this.path === SIGN_IN_PATH && request.method === "POST") return { kind: "signing_in" };
    const resumed = await resume(parts, sessionCookiesIn(request));
    return resumed ? { kind: "signed_in", ...resumed } : { kind: "refused", fault: this.counted(caller, SIGNED_OUT) };
  }

  admitUnidentified(): undefined {}

  async carryOut(exchange: ConsoleExchange, admission: Admission): Promise<ConsoleAnswer> {
    if (admission.kind === "refused") return admission.fault;
    if (admission.kind === "signing_in") return this.signIn(exchange);
    if (!this.methods) return NO_SUCH_PATH;
    const handler = this.methods[exchange.request.method as Method];
    if (!handler) return methodNotAllowed(Object.keys(this.methods).join(", "));
    const call = await this.read(exchange, handler);
    if (call instanceof ConsoleFault) return call;
    return ("stream" in handler ? handler.stream : handler)(this.shared.parts, admission.session, call);
  }

  malfunction(exchange: ConsoleExchange, error: unknown): ConsoleFault {
    this.shared.requestLog.failed(exchange, error);
    if (error instanceof OperatorError) return operatorFault(error);
    if (!(error instanceof StoreUnavailable)) return MALFUNCTION;
    return error.changed === "nothing" ? STORE_AWAY : STORE_LOST;
  }

  respond(exchange: ConsoleExchange, admission: Admission | undefined, answer: ConsoleAnswer): Response {
    const { settings } = this.shared.parts;
    const response = responseTo(answer, exchange);
    const { headers } = response;
    if (admission?.kind === "signed_in") {
      if (!settings.isApart) headers.set(SIGNED_IN, "yes");
      if (admission.isProlonged && !headers.has("Set-Cookie"))
        headers.set("Set-Cookie", setCookie(admission.cookie, settings.base));
    }
    this.record(exchange, answer, response.status);
    return response;
  }

  private record(exchange: ConsoleExchange, answer: ConsoleAnswer, status: number): void {
    const { parts, requestLog } = this.shared;
    // An operator need not know that a session has ended.
    if (answer === SIGNED_OUT && !parts.settings.logRequests) return;
    const tookMs = performance.now() - exchange.startedAtMs;
    const code = answer instanceof ConsoleFault ? answer.code : undefined;
    const refusedCaller = REFUSED.includes(status) ? `console ${exchange.address}` : undefined;
    requestLog.answered(exchange, { status, tookMs, code, refusedCaller });
  }

  private async signIn(exchange: ConsoleExchange): Promise<ConsoleAnswer> {
    const { parts, attempts } = this.shared;
    const seconds = attempts.waitSeconds(exchange.address);
    if (seconds > 0) return tooManyAttempts(seconds);
    const call = await this.read(exchange, undefined);
    const answer = call instanceof ConsoleFault ? call : await signIn(parts, call);
    return answer === BAD_TOKEN ? this.counted(exchange.caller, BAD_TOKEN) : answer;
  }

  /** Counts a refusal of a caller without a session, who may not go on for ever. */
  private counted({ address }: Caller, fault: ConsoleFault): ConsoleFault {
    const { attempts } = this.shared;
    const seconds = attempts.waitSeconds(address);
    if (seconds > 0) return tooManyAttempts(seconds);
    attempts.add(address);
    return fault;
  }

  private async read(
    { request, caller }: ConsoleExchange,
    handler: ConsoleHandler | { readonly stream: ConsoleHandler } | undefined,
  ): Promise<ConsoleCall | ConsoleFault> {
    const { searchParams: query } = new URL(request.url, "http://localhost");
    const call = { params: request.params ?? {}, query, request, caller };
    if (!expectsForm(request) || (handler && "stream" in handler)) return { ...call, form: undefined };
    const body = await readBody(request, this.shared.parts.settings.bodyTimeoutMs);
    if (!(body instanceof Fault)) return { ...call, form: body.value };
    const { status, code, message, headers } = body;
    return new ConsoleFault(status, code, message, { headers });
  }
}

/** Statuses that refuse the caller, rather than the request. */
const REFUSED: readonly number[] = [401, 403, 429];

/** A DELETE or POST may have no form; a body must be JSON. */
function expectsForm(request: Request): boolean {
  const { method, headers } = request;
  if (method === "PUT" || method === "PATCH") return true;
  if (isRead(request)) return false;
  return headers.has("content-type") || headers.has("transfer-encoding") || Number(headers.get("content-length")) > 0;
}

/** Makes a response with the headers of everything but the pages. */
export function responseTo(answer: ConsoleAnswer, { requestId }: Pick<Caller, "requestId">): Response {
  const response = bareResponse(answer);
  for (const [name, value] of Object.entries(API_HEADERS)) response.headers.set(name, value);
  response.headers.set("X-Request-Id", requestId);
  return response;
}

function bareResponse(answer: ConsoleAnswer): Response {
  if (answer instanceof Response) return answer;
  if (answer === undefined) return new Response(null, { status: 204 });
  if (answer instanceof ConsoleFault)
    return Response.json(answer.body, { status: answer.status, headers: answer.more.headers ?? {} });
  return Response.json(answer);
}
