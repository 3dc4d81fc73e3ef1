import type { Dialect } from "../lists.ts";

export const SQLITE: Dialect = {
  ordersByIndex: false,
  placeholder: (n) => `?${n}`,
  idIsOneOf: (placeholder) => `id IN (SELECT value FROM json_each(${placeholder}))`,
  idList: (ids) => `[${ids.join(",")}]`,
};
