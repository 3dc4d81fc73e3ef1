import type { TestService } from "../service/service.ts";
import type { Answer } from "./send.ts";

type Headers = Record<string, string>;
type Id = number | string;

/** The calls that name, get and unname a category. */
export const categoryCalls = (service: () => TestService) => ({
  put: (id: Id, name: unknown, headers: Headers = {}): Promise<Answer> =>
    service().call(`PUT /categories/${id}`, { body: { name }, headers }),
  get: (id: Id, headers: Headers = {}): Promise<Answer> => service().call(`GET /categories/${id}`, { headers }),
  remove: (id: Id, headers: Headers = {}): Promise<Answer> => service().call(`DELETE /categories/${id}`, { headers }),
});
