import { useState } from "preact/hooks";
import type { CategoryView, PageView } from "../../../src/console/api/index.ts";
import { WRITES_STOCK } from "../../../src/domain/console-role.ts";
import { CommandButton } from "../../commands/CommandButton.tsx";
import { type Command, useCommands } from "../../commands/registry.ts";
import { focusPage } from "../../components/dialogs/focus.ts";
import { Search } from "../../components/forms/Form.tsx";
import { Page, Panel } from "../../components/layout/Page.tsx";
import { Empty, Loaded } from "../../components/layout/states.tsx";
import { CursorPager } from "../../components/tables/CursorPager.tsx";
import { type Column, Table } from "../../components/tables/Table.tsx";
import { Name } from "../../components/text.tsx";
import { useLive } from "../../live.ts";
import { address, linkTo, linkWith, navigate, withParams } from "../../router.ts";
import { may } from "../../session.ts";
import { NameCategory, removeName } from "./NameCategory.tsx";

const PARENT = { title: "Animals", href: linkTo("/animals") };

/** The list of named categories. */
export function Categories() {
  const here = address.value;
  const [name, cursor] = ["name", "cursor"].map((param) => here.params.get(param) ?? "");
  const live = useLive<PageView<CategoryView>>(withParams("/categories", { name, cursor }));
  /** Null for a new category. */
  const [naming, setNaming] = useState<CategoryView | null | undefined>(undefined);
  const nameOne = may(WRITES_STOCK) && { title: "Name a category", run: () => setNaming(null) };
  const rename = (category: CategoryView): Command => ({
    title: `Rename ${category.name}`,
    run: () => setNaming(category),
    isOnDemand: true,
  });
  const unname = (category: CategoryView): Command => ({
    title: `Remove name ${category.name}`,
    run: () => void removeName(category, live.reload).then(focusPage),
    isOnDemand: true,
  });
  const listed = (may(WRITES_STOCK) && live.data?.items) || [];
  useCommands([nameOne, ...listed.map(rename), ...listed.map(unname)]);
  const actions: Column<CategoryView> = {
    title: "Actions",
    isNumber: true,
    cell: (category) => (
      <span class="row is-end">
        <CommandButton of={rename(category)}>
          Rename <span class="unseen">{category.name}</span>
        </CommandButton>
        <CommandButton of={unname(category)}>
          Remove name <span class="unseen">{category.name}</span>
        </CommandButton>
      </span>
    ),
  };
  const columns: readonly Column<CategoryView>[] = [
    {
      title: "Name",
      cell: (category) => (
        <span class="strong">
          <Name>{category.name}</Name>
          <span class="only-narrow soft small id">{category.id}</span>
        </span>
      ),
    },
    { title: "Number", isNumber: true, isWide: true, cell: ({ id }) => <span class="soft id">{id}</span> },
    ...(may(WRITES_STOCK) ? [actions] : []),
  ];
  return (
    <Page
      title="Categories"
      parent={PARENT}
      subtitle="Categories that have a name. Any other number is a category without one."
    >
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
                <Empty title="No named categories yet">
                  Unnamed categories are shown as numbers.
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
