import { expect, test } from "bun:test";
import { columnParams, likelyColumns } from "./columns.ts";

test("the columns that are probably meant are found, however they are written", () => {
  expect(likelyColumns(["Nr.", "NAME", "Category ID", "Status"], false)).toEqual({
    name: "NAME",
    categoryId: "Category ID",
    status: "Status",
  });
  expect(likelyColumns(["ID", "Names", "Category"], true)).toEqual({ id: "ID", name: "Names", categoryId: "Category" });
  expect(likelyColumns(["ID", "Group", "🐕", ""], false)).toEqual({});
});

test("a request names the columns of the fields that are read", () => {
  const map = { id: "Nr.", name: "Name", categoryId: "Group", status: "" };
  expect(columnParams(map, false)).toEqual({ nameColumn: "Name", categoryIdColumn: "Group" });
  expect(columnParams(map, true)).toEqual({ idColumn: "Nr.", nameColumn: "Name", categoryIdColumn: "Group" });
});
