import { OperatorError } from "../base/operator-error.ts";
import { Fault } from "../http/faults/fault.ts";
import type { Caller } from "../http/pages/console/relay.ts";
import { SIGNED_IN } from "../http/pages/console/ticket.ts";
import { loggedPath } from "../http/pipeline/request-id.ts";
import { readBody } from "../http/request/body.ts";
import { StoreUnavailable } from "../store/ports/store.ts";
import { API_HEADERS } from "./assets/headers.ts";
import { AttemptLimit } from "./auth/attempts.ts";
import { cookieWith, ticketsIn } from "./auth/cookie.ts";
import { isSameOrigin } from "./auth/origin.ts";
import { resume, signIn } from "./auth/session.ts";
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

/** A request as the router hands it over. */
export type RoutedRequest = Request & { readonly params?: Readonly<Record<string, string>> };

export type ApiHandler = (request: RoutedRequest, caller: Caller) => Promise<Response>;

/** A request of the pages on its way to a response. */
interface Exchange {
  readonly request: RoutedRequest;
  readonly caller: Caller;
  /** The cookie, where the browser has to keep it for longer. */
  cookie?: string;
  /** Whether the thread that has handed it on learns that it came in a session. */
  isSignedIn?: true;
}

/** The console's own API: by path, and everything else below it. */
export function createApi(
  parts: ConsoleParts,
  routes: ConsoleRoutes,
): { readonly byPath: Readonly<Record<string, ApiHandler>>; readonly rest: ApiHandler } {
  const api = new Api(parts);
  const byPath = Object.entries(routes).map(([path, methods]) => [path, api.handlerFor(path, methods)]);
  return { byPath: Object.fromEntries(byPath), rest: api.handlerFor("", {}) };
}

const SIGN_IN_PATH = "/session";

class Api {
  private readonly attempts: AttemptLimit;

  constructor(private readonly parts: ConsoleParts) {
    this.attempts = new AttemptLimit(parts.clock);
  }

  handlerFor(path: string, methods: ConsoleRoutes[`/${string}`]): ApiHandler {
    return async (request, caller) => {
      const startedAtMs = performance.now();
      const exchange: Exchange = { request, caller };
      const answer = await this.answer(exchange, path, methods).catch((error) => this.failed(exchange, error));
      const response = responseTo(answer, exchange);
      const line = () => lineOf(exchange, response.status, performance.now() - startedAtMs);
      if (answer instanceof ConsoleFault && REFUSED.includes(answer.status)) this.logRefusal(exchange, answer, line);
      else if (this.parts.settings.logRequests) this.log(exchange, line());
      return response;
    };
  }

  /** Where it comes from, who it is, and then what it asks for. */
  private async answer(exchange: Exchange, path: string, methods: ConsoleRoutes[`/${string}`]): Promise<ConsoleAnswer> {
    const { request, caller } = exchange;
    const { settings } = this.parts;
    if (!isSameOrigin(request, caller, settings)) return FOREIGN_ORIGIN;
    if (path === SIGN_IN_PATH && request.method === "POST") return this.signIn(exchange);
    const resumed = await resume(this.parts, ticketsIn(request));
    if (!resumed) return this.refuse(caller, SIGNED_OUT);
    if (!settings.isApart) exchange.isSignedIn = true;
    if (resumed.isProlonged) exchange.cookie = cookieWith(resumed.ticket, settings.base);
    if (path === "") return NO_SUCH_PATH;
    const handler = methods[request.method as Method];
    if (!handler) return methodNotAllowed(Object.keys(methods).join(", "));
    const call = await this.read(exchange, handler);
    if (call instanceof ConsoleFault) return call;
    return ("stream" in handler ? handler.stream : handler)(this.parts, resumed.session, call);
  }

  private async signIn(exchange: Exchange): Promise<ConsoleAnswer> {
    const seconds = this.attempts.waitSeconds(exchange.caller.address);
    if (seconds > 0) return tooManyAttempts(seconds);
    const call = await this.read(exchange, undefined);
    const answer = call instanceof ConsoleFault ? call : await signIn(this.parts, call);
    return answer === BAD_TOKEN ? this.refuse(exchange.caller, BAD_TOKEN) : answer;
  }

  /** Of somebody who is not signed in: counted, so that nobody can go on for ever. */
  private refuse({ address }: Caller, fault: ConsoleFault): ConsoleFault {
    const seconds = this.attempts.waitSeconds(address);
    if (seconds > 0) return tooManyAttempts(seconds);
    this.attempts.add(address);
    return fault;
  }

  private async read(
    { request, caller }: Exchange,
    handler: ConsoleHandler | { readonly stream: ConsoleHandler } | undefined,
  ): Promise<ConsoleCall | ConsoleFault> {
    const call = {
      params: request.params ?? {},
      query: new URL(request.url, "http://localhost").searchParams,
      request,
      caller,
    };
    if (!expectsForm(request) || (handler && "stream" in handler)) return { ...call, form: undefined };
    const body = await readBody(request, this.parts.settings.bodyTimeoutMs);
    if (!(body instanceof Fault)) return { ...call, form: body.value };
    return new ConsoleFault(body.status as ConsoleFault["status"], body.code, body.message);
  }

  private failed({ request, caller }: Exchange, error: unknown): ConsoleFault {
    const { requestId } = caller;
    const where = { requestId, method: request.method, path: loggedPath(request.url) };
    this.parts.failures.report("console: request failed", error, where);
    if (error instanceof OperatorError) return operatorFault(error);
    if (!(error instanceof StoreUnavailable)) return MALFUNCTION;
    return error.changed === "nothing" ? STORE_AWAY : STORE_LOST;
  }

  private log({ caller: { address } }: Exchange, line: object): void {
    this.parts.log.info({ ...line, address }, "console: request");
  }

  /** Anyone can cause as many of them as they like. That a session has ended is nothing that an operator must know. */
  private logRefusal(exchange: Exchange, fault: ConsoleFault, line: () => object): void {
    const { settings, refusals } = this.parts;
    const { code } = fault;
    const { address } = exchange.caller;
    if (settings.logRequests && refusals.mayLogEach()) this.log(exchange, { ...line(), code });
    else if (settings.logRequests || fault !== SIGNED_OUT)
      refusals.report(code, `console ${address}`, () => ({ code, address, keyId: undefined, request: line() }));
  }
}

/** Statuses of those who may not ask for it. */
const REFUSED: readonly number[] = [401, 403, 429];

function lineOf({ request, caller: { requestId } }: Exchange, status: number, tookMs: number): object {
  const { method, url } = request;
  return { requestId, method, path: loggedPath(url), status, durationMs: Math.round(tookMs * 1000) / 1000 };
}

/** A DELETE or POST without a body has no form; whatever has one must be JSON. */
const expectsForm = ({ method, headers }: Request): boolean =>
  method === "PUT" ||
  method === "PATCH" ||
  (method !== "GET" &&
    method !== "HEAD" &&
    (headers.has("content-type") || headers.has("transfer-encoding") || Number(headers.get("content-length")) > 0));

/** With the headers that everything but the pages has. */
export function responseTo(
  answer: ConsoleAnswer,
  {
    caller,
    cookie,
    isSignedIn,
  }: Pick<Exchange, "cookie" | "isSignedIn"> & { readonly caller: Pick<Caller, "requestId"> },
): Response {
  const response = bareResponse(answer);
  for (const [name, value] of Object.entries(API_HEADERS)) response.headers.set(name, value);
  response.headers.set("X-Request-Id", caller.requestId);
  if (isSignedIn) response.headers.set(SIGNED_IN, "yes");
  if (cookie !== undefined && !response.headers.has("Set-Cookie")) response.headers.set("Set-Cookie", cookie);
  return response;
}

function bareResponse(answer: ConsoleAnswer): Response {
  if (answer instanceof Response) return answer;
  if (answer === undefined) return new Response(null, { status: 204 });
  if (answer instanceof ConsoleFault)
    return Response.json(answer.body, { status: answer.status, headers: answer.more.headers ?? {} });
  return Response.json(answer);
}
