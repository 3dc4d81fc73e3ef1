import { type AnyOperation, isTagged } from "../declare/operation.ts";
import type { Parameter } from "../declare/parameters.ts";
import { IF_MATCH_HEADER, IF_NONE_MATCH_HEADER, IF_NOTHING_YET_HEADER, isConditional } from "../request/conditions.ts";
import { IDEMPOTENCY_KEY_HEADER } from "../request/idempotency.ts";
import type { Components, Json } from "./components.ts";

/** The parameters of each operation. One that several operations share is a component, so that it is defined once. */
export function parametersOfAll(
  operations: readonly AnyOperation[],
  components: Components,
): (operation: AnyOperation) => Json[] {
  const described = new Map(operations.map((operation) => [operation, describe(operation, components)]));
  const uses = Map.groupBy([...described.values()].flat(), (parameter) => JSON.stringify(parameter));
  const isShared = (parameter: DescribedParameter): boolean => uses.get(JSON.stringify(parameter))?.length !== 1;
  return (operation) =>
    (described.get(operation) ?? []).map((one) => (isShared(one) ? components.parameter(one.name, one) : one));
}

interface DescribedParameter extends Json {
  readonly name: string;
}

function describe(operation: AnyOperation, components: Components): DescribedParameter[] {
  const { parameters, method, success, idempotency } = operation;
  const described = Object.entries<Parameter<unknown>>(parameters).map(([name, parameter]) => {
    const { description, schema, example } = parameter;
    if (parameter.in === "path") return { name, in: "path", required: true, description, schema, example };
    components.useIn(schema);
    const list = parameter.maxCount > 1 ? { style: "form", explode: true } : {};
    return { name, in: "query", description, schema, ...list, example };
  });
  const headers = [
    ...(idempotency ? [IDEMPOTENCY_KEY_HEADER] : []),
    ...(isConditional(method) ? [IF_MATCH_HEADER] : []),
    ...(method === "PUT" ? [IF_NOTHING_YET_HEADER] : []),
    ...(method === "GET" && isTagged(operation, success) ? [IF_NONE_MATCH_HEADER] : []),
  ];
  return [...described, ...headers.map((header) => ({ in: "header", ...header }))];
}
