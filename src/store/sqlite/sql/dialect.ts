import type { Dialect } from "../../sql/searches.ts";

export const SQLITE: Dialect = {
  ordersByIndex: false,
  placeholder: (n) => `?${n}`,
  idIsOneOf: (placeholder) => `id IN (SELECT value FROM json_each(${placeholder}))`,
  idList: (ids) => `[${ids.join(",")}]`,
  idInRow: (placeholder) => `${placeholder} COLLATE BINARY`,
  atMost: (placeholder) => `LIMIT +${placeholder}`,
  forUpdate: "",
  isOneOf: (column, select) => `${column} IN (${select})`,
  textsIn: (placeholder) => `SELECT value FROM json_each(${placeholder})`,
  deleteSome({ name, key }, condition, size) {
    const columns = key.join(", ");
    return `DELETE FROM ${name} WHERE (${columns}) IN
      (SELECT ${columns} FROM ${name} WHERE ${condition} LIMIT ${size}) RETURNING 1`;
  },
};
