import { useState } from "preact/hooks";
import type { PageView, UsedCategoryView } from "../../../src/console/api/index.ts";
import { WRITES_STOCK } from "../../../src/domain/console-role.ts";
import { CommandButton } from "../../commands/CommandButton.tsx";
import { type Command, useCommands } from "../../commands/registry.ts";
import { focusPage } from "../../components/dialogs/focus.ts";
import { Search } from "../../components/forms/Form.tsx";
import { Page, Panel } from "../../components/layout/Page.tsx";
import { Empty, Loaded } from "../../components/layout/states.tsx";
import { CursorPager } from "../../components/tables/CursorPager.tsx";
import type { Column } from "../../components/tables/column.ts";
import { Table } from "../../components/tables/Table.tsx";
import { Name } from "../../components/text.tsx";
import { countedSoFar } from "../../format/numbers.ts";
import { categoryLabel } from "../../format/stock.ts";
import { useLive } from "../../live.ts";
import { address, linkTo, linkWith, navigate, withParams } from "../../router.ts";
import { may } from "../../session.ts";
import { NameCategory, removeName } from "./NameCategory.tsx";

const PARENT = { title: "Animals", href: linkTo("/animals") };

/** The list of categories that have a name or animals. */
export function Categories() {
  const here = address.value;
  const [name, cursor] = ["name", "cursor"].map((param) => here.params.get(param) ?? "");
  const live = useLive<PageView<UsedCategoryView>>(withParams("/used-categories", { name, cursor }));
  /** Null for a new category. */
  const [naming, setNaming] = useState<UsedCategoryView | null | undefined>(undefined);
  const nameOne = may(WRITES_STOCK) && { title: "Name a category", run: () => setNaming(null) };
  const rename = (category: UsedCategoryView): Command => ({
    title: `${category.name === null ? "Name" : "Rename"} ${categoryLabel(category)}`,
    run: () => setNaming(category),
    isOnDemand: true,
  });
  const unname = (category: UsedCategoryView): Command | false =>
    category.name !== null && {
      title: `Remove name ${category.name}`,
      run: () => void removeName(category, live.reload).then(focusPage),
      isOnDemand: true,
    };
  const listed = (may(WRITES_STOCK) && live.data?.items) || [];
  useCommands([nameOne, ...listed.map(rename), ...listed.map(unname)]);
  const actions: Column<UsedCategoryView> = {
    title: "Actions",
    isNumber: true,
    cell: (category) => (
      <span class="row is-end">
        <CommandButton of={rename(category)}>
          {category.name === null ? "Name" : "Rename"} <span class="unseen">{categoryLabel(category)}</span>
        </CommandButton>
        <CommandButton of={unname(category)}>
          Remove name <span class="unseen">{category.name}</span>
        </CommandButton>
      </span>
    ),
  };
  const columns: readonly Column<UsedCategoryView>[] = [
    {
      title: "Name",
      cell: (category) => (
        <>
          {category.name === null ? (
            <span class="soft name">No name</span>
          ) : (
            <span class="strong">
              <Name>{category.name}</Name>
            </span>
          )}
          <span class="only-narrow soft small">
            <span class="id">{category.id}</span>: {countedSoFar(category.animals)}{" "}
            {category.animals.value === 1 ? "animal" : "animals"}
          </span>
        </>
      ),
    },
    { title: "Number", isNumber: true, isWide: true, cell: ({ id }) => <span class="soft id">{id}</span> },
    { title: "Animals", isNumber: true, isWide: true, cell: ({ animals }) => countedSoFar(animals) },
    ...(may(WRITES_STOCK) ? [actions] : []),
  ];
  return (
    <Page title="Categories" parent={PARENT} subtitle="Every category that has a name or animals. A name is optional.">
      <search class="tools">
        <Search
          label="Search by name"
          value={name ?? ""}
          onChange={(text) => navigate(linkWith(here, { name: text, cursor: null }), { isReplacing: true })}
        />
        <CommandButton of={nameOne} class="is-main" />
      </search>
      <Loaded live={live} what="the categories" restart={linkTo("/animals/categories")}>
        {(view) => (
          <div>
            <Panel isFlush>
              {view.items.length > 0 ? (
                <Table
                  caption="Categories"
                  columns={columns}
                  rows={view.items}
                  keyOf={({ id }) => id}
                  hrefOf={({ id }) => linkTo("/animals", { categoryId: id })}
                  isStale={live.isStale}
                />
              ) : name ? (
                <Empty title="No matching categories">
                  No name begins with that. <a href={linkTo("/animals/categories")}>Show all categories</a>
                </Empty>
              ) : (
                <Empty title="No categories yet">
                  A category appears here when an animal is added to it, or when it gets a name.
                  {may(WRITES_STOCK) && " Name the first one with the button above."}
                </Empty>
              )}
            </Panel>
            <CursorPager next={view.next} isStale={live.isStale} />
          </div>
        )}
      </Loaded>
      {naming !== undefined && (
        <NameCategory of={naming ?? undefined} onNamed={live.reload} onClose={() => setNaming(undefined)} />
      )}
    </Page>
  );
}
