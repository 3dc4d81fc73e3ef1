import type { BunRequest, Server } from "bun";
import { OperatorError } from "../base/operator-error.ts";
import type { Awaitable } from "../base/time/awaitable.ts";
import { Fault } from "../http/faults/fault.ts";
import { KnownSessions } from "../http/pages/console/known-sessions.ts";
import type { Caller } from "../http/pages/console/relay.ts";
import { type SessionCookie, sessionCookiesIn } from "../http/pages/console/session-cookie.ts";
import type { Handler } from "../http/pipeline/handler.ts";
import { type Exchange, Pipeline } from "../http/pipeline/pipeline.ts";
import { RequestLog } from "../http/pipeline/request-log.ts";
import { readBody } from "../http/request/body.ts";
import { StoreUnavailable } from "../store/ports/store.ts";
import { AttemptLimit } from "./auth/attempts.ts";
import { setCookie } from "./auth/cookie.ts";
import { isSameOrigin } from "./auth/origin.ts";
import { isStillSignedIn, type Resumed, resume, signIn } from "./auth/session.ts";
import {
  BAD_TOKEN,
  ConsoleFault,
  FOREIGN_ORIGIN,
  MALFUNCTION,
  methodNotAllowed,
  NO_SUCH_PATH,
  operatorFault,
  roleRefused,
  SIGNED_OUT,
  STORE_AWAY,
  STORE_LOST,
  tooManyAttempts,
} from "./fault.ts";
import type { ConsoleAnswer, ConsoleCall, ConsoleParts, ConsoleRoutes, Method, SignedIn } from "./handler.ts";
import { API_HEADERS } from "./headers.ts";

/** Identifies the caller: by the connection, or by what the relaying thread says. */
export type CallerOf = (request: Request, server: Server<undefined>) => Caller;

/** A request of the pages. */
interface ConsoleExchange extends Exchange {
  readonly request: BunRequest;
  readonly caller: Caller;
}

type Admission =
  | { readonly kind: "refused"; readonly fault: ConsoleFault }
  | { readonly kind: "signing_in" }
  | ({ readonly kind: "signed_in" } & Resumed);

type Methods = ConsoleRoutes[`/${string}`];

/** The console's own API: by path, and everything else below it. */
export function createApi(parts: ConsoleParts, routes: ConsoleRoutes, callerOf: CallerOf) {
  const attempts = new AttemptLimit(parts.clock);
  const known = new KnownSessions(parts.store.sessions, parts.clock);
  const routeOf = (path: string, methods?: Methods) =>
    new ApiRoute(parts, callerOf, attempts, known, path, methods).handle;
  const handlers: Record<string, Handler> = { "/console/api": routeOf(""), "/console/api/*": routeOf("") };
  for (const [path, methods] of Object.entries(routes)) handlers[`/console/api${path}`] = routeOf(path, methods);
  return handlers;
}

export const requestLogOf = ({ log, failures, refusals, settings: { logRequests } }: ConsoleParts): RequestLog =>
  new RequestLog({ log, failures, refusals, logRequests }, "console: ");

const SIGN_IN_PATH = "/session";

/** Answers one path. A request meets, in this order: origin, session, path, method, role, form, then the handler. */
class ApiRoute extends Pipeline<ConsoleExchange, Admission, undefined, ConsoleAnswer> {
  private readonly requestLog: RequestLog;

  constructor(
    private readonly parts: ConsoleParts,
    private readonly callerOf: CallerOf,
    private readonly attempts: AttemptLimit,
    private readonly known: KnownSessions,
    private readonly path: string,
    /** Undefined: there is no such path. */
    private readonly methods: Methods | undefined,
  ) {
    super();
    this.requestLog = requestLogOf(parts);
  }

  readonly handle: Handler = (request, server) => {
    const caller = this.callerOf(request, server);
    const { requestId, address } = caller;
    return this.answer({ request, caller, requestId, address, startedAtMs: performance.now() });
  };

  protected async admit({ request, caller }: ConsoleExchange): Promise<Admission> {
    if (!isSameOrigin(request, caller, this.parts.settings)) return { kind: "refused", fault: FOREIGN_ORIGIN };
    if (this.path === SIGN_IN_PATH && request.method === "POST") return { kind: "signing_in" };
    const cookies = sessionCookiesIn(request, caller.origin);
    const resumed = (await this.mayBeSignedIn(caller, cookies)) ? await resume(this.parts, cookies) : undefined;
    return resumed ? { kind: "signed_in", ...resumed } : { kind: "refused", fault: this.counted(caller, SIGNED_OUT) };
  }

  /** An address that has used up its attempts must not cost a query for each session that it makes up. */
  private mayBeSignedIn({ address }: Caller, cookies: readonly SessionCookie[]): Awaitable<boolean> {
    if (cookies.length === 0 || this.attempts.waitSeconds(address) === 0) return true;
    return this.known.hasAny(cookies.map(({ secret }) => secret));
  }

  protected admitUnidentified(): undefined {}

  protected async carryOut(exchange: ConsoleExchange, admission: Admission): Promise<ConsoleAnswer> {
    if (admission.kind === "refused") return admission.fault;
    if (admission.kind === "signing_in") return this.signIn(exchange);
    if (!this.methods) return NO_SUCH_PATH;
    const route = this.methods[exchange.request.method as Method];
    if (!route) return methodNotAllowed(Object.keys(this.methods).join(", "));
    const { session } = admission;
    if (!route.roles.includes(session.role)) return roleRefused(session.role, route.roles);
    return route.handle(this.parts, session, this.callOf(exchange, session));
  }

  protected malfunction(exchange: ConsoleExchange, error: unknown): ConsoleFault {
    this.requestLog.failed(exchange, error);
    if (error instanceof OperatorError) return operatorFault(error);
    if (!(error instanceof StoreUnavailable)) return MALFUNCTION;
    return error.changed === "nothing" ? STORE_AWAY : STORE_LOST;
  }

  protected respond(exchange: ConsoleExchange, admission: Admission | undefined, answer: ConsoleAnswer): Response {
    const { settings } = this.parts;
    const response = responseTo(answer, exchange);
    const { headers } = response;
    if (admission?.kind === "signed_in" && admission.isProlonged && !headers.has("Set-Cookie"))
      headers.set("Set-Cookie", setCookie(admission.cookie, settings.base));
    this.record(exchange, answer, response.status);
    return response;
  }

  private record(exchange: ConsoleExchange, answer: ConsoleAnswer, status: number): void {
    // An operator need not know that a session has ended.
    if (answer === SIGNED_OUT && !this.parts.settings.logRequests) return;
    const tookMs = performance.now() - exchange.startedAtMs;
    const code = answer instanceof ConsoleFault ? answer.code : undefined;
    const refusedCaller = REFUSED.includes(status) ? `console ${exchange.address}` : undefined;
    this.requestLog.answered(exchange, { status, tookMs, code, refusedCaller });
  }

  private async signIn(exchange: ConsoleExchange): Promise<ConsoleAnswer> {
    const seconds = this.attempts.waitSeconds(exchange.address);
    if (seconds > 0) return tooManyAttempts(seconds);
    const answer = await signIn(this.parts, this.callOf(exchange));
    return answer === BAD_TOKEN ? this.counted(exchange.caller, BAD_TOKEN) : answer;
  }

  /** Counts a refusal of a caller without a session, who may not go on for ever. */
  private counted({ address }: Caller, fault: ConsoleFault): ConsoleFault {
    const seconds = this.attempts.waitSeconds(address);
    if (seconds > 0) return tooManyAttempts(seconds);
    this.attempts.add(address);
    return fault;
  }

  /** Without a session, the call is one to sign in. */
  private callOf({ request, caller }: ConsoleExchange, session?: SignedIn): ConsoleCall {
    const { searchParams: query } = new URL(request.url, "http://localhost");
    const hasSession = async (): Promise<boolean> => session !== undefined && isStillSignedIn(this.parts, session);
    // A body may take its time, and what a session may do ends with it.
    const form = async (): Promise<unknown> => {
      const sent = await formIn(request, this.parts.settings.bodyTimeoutMs);
      return session === undefined || (await hasSession()) ? sent : SIGNED_OUT;
    };
    return { params: request.params, query, request, caller, form, hasSession };
  }
}

async function formIn(request: Request, timeoutMs: number): Promise<unknown> {
  const body = await readBody(request, timeoutMs);
  if (!(body instanceof Fault)) return body.value;
  const { status, code, message, headers } = body;
  return new ConsoleFault(status, code, message, { headers });
}

/** Statuses that refuse the caller, rather than the request. */
const REFUSED: readonly number[] = [401, 403, 429];

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
