import { createGate, type GateParts } from "../../src/access/gate.ts";
import type { Clock } from "../../src/base/time/clock.ts";
import { ratePolicyOfAddress } from "../../src/domain/limits/tally.ts";
import type { Fault } from "../../src/http/faults/fault.ts";
import { OPERATIONS } from "../../src/http/operations/index.ts";
import type { Handler } from "../../src/http/pipeline/handler.ts";
import type { RunParts } from "../../src/http/run-operation.ts";
import { type HandlerParts, type Resource, resourcesOf, V1Handler } from "../../src/http/v1-handler.ts";
import { noTelemetry } from "../../src/telemetry/telemetry.ts";
import { MapMeter } from "./meter.ts";
import { KeptRequests } from "./requests.ts";
import type { Once } from "./store/saved-responses.ts";
import { createStore } from "./store/store.ts";
import { Usage } from "./usage.ts";

type Asked = Parameters<Handler>;

/** A request as the client sends it. */
export interface SentRequest extends Pick<Request, "method" | "url" | "headers" | "signal"> {
  readonly text: string | undefined;
  readonly bytes: () => Promise<Uint8Array>;
}

/** Answers a request, or admits it and then answers with a fault. */
export type ServiceAnswer = (sent: SentRequest, fault?: Fault) => Promise<Response>;

interface ServiceParts extends Pick<GateParts, "keyring">, Pick<RunParts, "keyStore"> {
  readonly clock: Clock;
  readonly once: Once;
  readonly publicUrl: string;
}

/** The service's default. */
const ANONYMOUS_PER_MINUTE = 300;
/** A body is here already. */
const BODY_TIMEOUT_MS = 10_000;

/** The whole of /v1: what the service puts between a socket and its database, with a store in memory. */
export function createService({ clock, once, keyring, keyStore, publicUrl }: ServiceParts): ServiceAnswer {
  const gate = createGate({
    ...{ clock, keyring, keyMeter: new MapMeter(clock), addressMeter: new MapMeter(clock) },
    ...{ addressPolicy: ratePolicyOfAddress(ANONYMOUS_PER_MINUTE), environment: "production" },
  });
  gate.open();
  const urls = { publicUrl, docsUrl: publicUrl.replace(/v1$/, "docs"), environment: "production", otherUrl: undefined };
  const usage = new Usage();
  const requests = new KeptRequests();
  const usageStore: RunParts["usageStore"] = {
    ofKey: (keyId, span) => usage.ofKey(keyId, span),
    keptRequests: (query) => requests.keptRequests(query),
  };
  const runParts: RunParts = {
    environment: "production",
    ...{ ...createStore(once), keyStore, usageStore, clock, steadyClock: clock, gate, bodyTimeoutMs: BODY_TIMEOUT_MS },
    addresses: { urlsFor: () => urls as never, cacheKeyFor: ({ url }) => url },
    replyCache: { answer: (_, work) => work() },
    // A write is over before the next one begins, so no copy of it can be in progress.
    withIdempotency: (_, write) => write(),
  };
  const routes = Object.entries(resourcesOf(OPERATIONS, runParts)).map(([path, resource]) => ({
    pattern: patternOf(path),
    resource,
  }));
  const parts = handlerParts(gate, usage, requests);
  return async (sent, fault) => {
    const { pathname } = new URL(sent.url);
    const route = routes.find(({ pattern }) => pattern.test(pathname));
    const handler = fault ? new FailingHandler(parts, route?.resource, fault) : new V1Handler(parts, route?.resource);
    const params = route?.pattern.exec(pathname)?.groups ?? {};
    const request = Object.assign(sent, { params: decoded(params), bodyUsed: true });
    return handler.handle(request as unknown as Asked[0], ONE_CALLER);
  };
}

/** Admits a request as usual, and then fails. */
class FailingHandler extends V1Handler {
  constructor(
    parts: HandlerParts,
    resource: Resource | undefined,
    private readonly fault: Fault,
  ) {
    super(parts, resource);
  }

  protected override carryOut(...[exchange, admission]: Parameters<V1Handler["carryOut"]>) {
    return admission.kind === "refusal" ? super.carryOut(exchange, admission) : this.fault;
  }
}

/** `/v1/pets/:petId` matches one segment for the parameter. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);

const decoded = (params: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, text]) => [name, decodedText(text)]));

function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** All requests come from one address. */
const ONE_CALLER = { requestIP: () => ({ address: "127.0.0.1" }) } as unknown as Asked[1];

const nothing = (): void => {};

function handlerParts(gate: HandlerParts["gate"], usage: Usage, requestKeep: KeptRequests): HandlerParts {
  return {
    gate,
    trustedProxies: undefined,
    connections: { areClosing: false },
    telemetry: noTelemetry,
    usage,
    requestKeep,
    refusalFlood: { bound: (response) => response },
    cors: undefined,
    log: { info: nothing, warn: nothing, error: nothing },
    failures: { report: (message, error) => console.error(`animal-store-client/testing: ${message}`, error) },
    refusals: { report: nothing, mayLogEach: () => false, close: nothing },
    logRequests: false,
  };
}
