import type { Dialect } from "../lists.ts";

export const SQLITE: Dialect = {
  ordersByIndex: false,
  mark: (n) => `?${n}`,
  idIsOneOf: (mark) => `id IN (SELECT value FROM json_each(${mark}))`,
  idList: (ids) => `[${ids.join(",")}]`,
};
