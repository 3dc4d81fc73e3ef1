import { useEffect, useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type {
  AnimalListView,
  AnimalSort,
  AnimalView,
  CategoryView,
  FrameView,
  IndexingView,
  PageView,
} from "../../../src/console/api/index.ts";
import { OPERATOR_ONLY, WRITES_STOCK } from "../../../src/domain/console-role.ts";
import { ANIMAL_STATUSES, type AnimalStatus, NAME_PART_MIN_CODE_POINTS } from "../../../src/domain/stock/animal.ts";
import { fold } from "../../../src/domain/stock/fold.ts";
import { CommandButton } from "../../commands/CommandButton.tsx";
import { goingTo, useCommands } from "../../commands/registry.ts";
import { CategoryPicker } from "../../components/forms/CategoryPicker.tsx";
import { Filter, Search } from "../../components/forms/Form.tsx";
import { Page, Panel } from "../../components/layout/Page.tsx";
import { Empty, Loaded } from "../../components/layout/states.tsx";
import { ActionBar } from "../../components/selection/ActionBar.tsx";
import { type Selection, useSelection } from "../../components/selection/selection.ts";
import { announce, say } from "../../components/Toasts.tsx";
import { CategoryName } from "../../components/tables/CategoryName.tsx";
import { CursorPager } from "../../components/tables/CursorPager.tsx";
import type { Column } from "../../components/tables/column.ts";
import { SortField } from "../../components/tables/SortField.tsx";
import { Badge } from "../../components/tables/StateBadge.tsx";
import { type SortChoice, type Sorting, sortingOf } from "../../components/tables/sorting.ts";
import { Table } from "../../components/tables/Table.tsx";
import { Name } from "../../components/text.tsx";
import { capitalized } from "../../format/keys.ts";
import { quoted } from "../../format/names.ts";
import { counted, grouped } from "../../format/numbers.ts";
import { animalStatusLabel, type Category, categoryOf, filterText, searchedFor } from "../../format/stock.ts";
import { useLive } from "../../live.ts";
import { address, linkTo, linkWith, navigate, type Params, withParams } from "../../router.ts";
import { may } from "../../session.ts";
import { useDropped } from "../imports/upload.ts";
import { AddAnimal } from "./AnimalForm.tsx";
import { ANIMAL_ACTIONS } from "./actions.tsx";
import { ExportAnimals } from "./ExportAnimals.tsx";

const COLUMNS: readonly Column<AnimalView>[] = [
  {
    title: "Name",
    sortBy: "name",
    cell: ({ name }) => (
      <span class="strong">
        <Name>{name}</Name>
      </span>
    ),
  },
  { title: "Category", isWide: true, cell: (animal) => <CategoryName of={categoryOf(animal)} /> },
  { title: "Status", cell: ({ status }) => <Badge {...animalStatusLabel(status)} /> },
  { title: "Id", sortBy: "id", isNumber: true, cell: ({ id }) => <span class="soft id">{id}</span> },
];

const BY_ID: readonly SortChoice[] = [
  { sort: "-id", label: "Newest first" },
  { sort: "id", label: "Oldest first" },
];
const BY_NAME: readonly SortChoice[] = [
  { sort: "name", label: "Name, A to Z" },
  { sort: "-name", label: "Name, Z to A" },
];

/** The orders that there is an index for. */
function sortingFor({ name, inside, categoryId, id, sort }: Params): Sorting {
  const inAddress = String(sort ?? "");
  if (inside) return sortingOf(inAddress, "-id", BY_ID);
  if (name) return sortingOf(inAddress, "name", BY_NAME);
  return sortingOf(inAddress, "-id", categoryId || id ? BY_ID : [...BY_ID, ...BY_NAME]);
}

/** The orders at the end of a sentence. */
const SORT_WORDS: Readonly<Record<string, string>> = {
  id: "oldest first",
  "-id": "newest first",
  name: "by name",
  "-name": "by name, from Z to A",
} satisfies Record<AnimalSort, string>;

const FILTERS = ["status", "categoryId", "name", "inside", "id", "sort", "cursor"] as const;
type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;

/** A search inside names goes on being one when its text is long enough again, and no other filter is set. */
function filtersIn(params: Params): Filters {
  const given = Object.fromEntries(FILTERS.map((name) => [name, String(params[name] ?? "")])) as Filters;
  const { name, inside, status, categoryId, id } = given;
  return { ...given, inside: !(status || categoryId || id) && isLongEnough(name) ? inside : "" };
}

const isLongEnough = (name: string): boolean => Array.from(fold(name)).length >= NAME_PART_MIN_CODE_POINTS;

/** Many animals share a name. */
const NAMES = {
  idOf: ({ id }: AnimalView) => id,
  nameOf: ({ id, name }: AnimalView) => `${name} (${id})`,
};

const FRAME_POLL_MS = 15_000;

/** The category of the filter, with its name. */
function useCategory(id: string, animals: AnimalListView | undefined): Category | undefined {
  const live = useLive<PageView<CategoryView>>(
    id === "" ? undefined : withParams("/categories", { id }),
    FRAME_POLL_MS,
  );
  if (id === "") return undefined;
  const among = animals?.items.find(({ categoryId }) => categoryId === id)?.categoryName;
  return { id, name: live.data?.items.find((category) => category.id === id)?.name ?? among ?? null };
}

/** The list of animals. Search, filters and order are kept in the address. */
export function Animals() {
  const here = address.value;
  const inAddress = Object.fromEntries(here.params);
  const filters = filtersIn(inAddress);
  const { status, categoryId, name, inside, id } = filters;
  const live = useLive<AnimalListView>(withParams("/animals", { ...filters }));
  const frame = useLive<FrameView>("/frame", FRAME_POLL_MS).data;
  const category = useCategory(categoryId, live.isStale ? undefined : live.data);
  const [open, setOpen] = useState<"add" | "export" | undefined>(undefined);
  const isDragged = useDropped();
  const isFiltered = Boolean(status || categoryId || name || id);
  const sorting = sortingFor(filters);
  const selection = useSelection(live.data?.items, NAMES);
  const filter = (changes: Params): void => {
    const { choices } = sortingFor(filtersIn({ ...inAddress, ...changes }));
    const sort = choices.some((choice) => choice.sort === filters.sort) ? filters.sort : null;
    navigate(linkWith(here, { ...changes, sort, cursor: null }), { isReplacing: true });
  };
  const { data, isStale } = live;
  useEffect(() => {
    if (data && !isStale && isFiltered) announce(foundText(data));
  }, [data?.items.length, isStale, status, categoryId, name, inside, id]);
  const words = { status, category, name, isInside: inside !== "", id };
  const add = may(WRITES_STOCK) && { title: "Add an animal", run: () => setOpen("add") };
  const download = may(OPERATOR_ONLY) && { title: "Export these animals", run: () => setOpen("export") };
  useCommands([add, download]);
  return (
    <Page
      title="Animals"
      subtitle={
        frame?.animals
          ? `${subtitleOf(counted(frame.animals), isFiltered, isStale || filters.cursor !== "" ? undefined : data)}, ${SORT_WORDS[sorting.current] ?? ""}.`
          : ""
      }
      actions={
        <>
          <a class="button" href={linkTo("/animals/categories")}>
            Categories
          </a>
          <a class="button" href={linkTo("/animals/import")}>
            {may(WRITES_STOCK) ? "Import" : "Imports"}
          </a>
          <CommandButton of={download}>Export</CommandButton>
        </>
      }
    >
      <search class="tools">
        <Search
          label="Search by name or id"
          value={name || id}
          onChange={(text) => filter({ ...searchedFor(text), ...(text === "" ? {} : { categoryId: null }) })}
        />
        <Filter
          label="Status"
          all="All statuses"
          value={status as AnimalStatus | ""}
          options={ANIMAL_STATUSES.map((value) => ({ value, label: capitalized(value) }))}
          onChange={(value) => filter({ status: value })}
        />
        <CategoryPicker
          label="Category"
          placeholder="All categories"
          isFilter
          value={category}
          onChange={(chosen, text) => {
            if (chosen) filter({ categoryId: chosen.id, name: null, id: null });
            else if (text === "" && categoryId !== "") filter({ categoryId: null });
          }}
        />
        <SortField sorting={sorting} />
        <CommandButton of={add} class="is-main" />
      </search>
      {id !== "" && <ByIdNote id={id} />}
      {name !== "" && data && !isStale && <ByNameNote name={name} isInside={inside !== ""} view={data} />}
      <Loaded live={live} what="the animals" restart={linkTo("/animals")}>
        {(view) => (
          <List
            view={view}
            isStale={isStale}
            isFiltered={isFiltered}
            words={filterText(words)}
            sorting={sorting}
            selection={selection}
          />
        )}
      </Loaded>
      {may(WRITES_STOCK) && (
        <ActionBar selection={selection} actions={ANIMAL_ACTIONS} noun="animal" onChanged={live.reload} />
      )}
      {isDragged && <p class="drop-note">Drop the file to import it</p>}
      {open === "add" && (
        <AddAnimal
          category={category}
          onClose={() => setOpen(undefined)}
          onAdded={(animal) => added(animal, live.reload)}
        />
      )}
      {open === "export" && (
        <ExportAnimals words={filterText(words)} filters={filters} onClose={() => setOpen(undefined)} />
      )}
    </Page>
  );
}

/** 5,000 animals; 12 of 5,000 animals; More than 50 of 5,000 animals; of a later page only: Some of 5,000 animals */
function subtitleOf(total: string, isFiltered: boolean, firstPage: AnimalListView | undefined): string {
  if (!isFiltered) return capitalized(`${total} animals`);
  if (!firstPage) return `Some of ${total} animals`;
  return capitalized(`${bound(firstPage)}${grouped(firstPage.items.length)} of ${total} animals`);
}

const foundText = (view: AnimalListView): string =>
  capitalized(`${bound(view)}${countOf(view.items.length, "animal")}.`);

/** Says what a count leaves out: animals on further pages, or those whose names are not indexed yet. */
const bound = ({ next, indexing }: AnimalListView): string =>
  `${indexing ? "so far " : ""}${next === null ? "" : "more than "}`;

function added({ id, name }: AnimalView, reload: () => void): void {
  say(`Added ${quoted(name)} with id ${id}.`);
  reload();
}

/** Offers a search by name, because a name may begin with digits. */
const ByIdNote = ({ id }: { readonly id: string }) => (
  <p class="soft">
    Searching by id.{" "}
    <a href={linkWith(address.value, { id: null, name: id, sort: null, cursor: null })}>
      Search for names that begin with {id}
    </a>
  </p>
);

interface ByNameNoteProps {
  readonly name: string;
  readonly isInside: boolean;
  readonly view: AnimalListView;
}

/** Says where names are searched, and offers the other search. */
function ByNameNote({ name, isInside, view: { canSearchInside, indexing } }: ByNameNoteProps) {
  const link = (inside: string | null): string =>
    linkWith(address.value, { status: null, categoryId: null, sort: null, cursor: null, inside });
  const other = isInside
    ? goingTo("Search only the beginnings of names", link(null))
    : canSearchInside && isLongEnough(name) && goingTo("Search inside names", link("true"));
  useCommands([other]);
  if (isInside)
    return (
      <p class="soft">
        Searching inside names. {indexing && `${indexingText(indexing)} `}
        <CommandButton of={other} class="">
          Search only their beginnings
        </CommandButton>
      </p>
    );
  return (
    <p class="soft">
      Searching the beginnings of names.{" "}
      {other ? (
        <CommandButton of={other} class="" />
      ) : canSearchInside ? (
        `Type at least ${NAME_PART_MIN_CODE_POINTS} characters to search inside them.`
      ) : (
        "This service cannot search inside them."
      )}
    </p>
  );
}

function indexingText({ upToId, lastId, hasFailed }: IndexingView): string {
  const state = hasFailed
    ? "Names could not be indexed; the service log has the details."
    : "Names are still being indexed.";
  if (upToId === null) return `${state} No animals can be found so yet.`;
  return `${state} Animals with ids up to ${grouped(upToId)} of ${grouped(lastId)} can be found so far.`;
}

interface ListProps {
  readonly view: AnimalListView;
  readonly isStale: boolean;
  readonly isFiltered: boolean;
  readonly words: string;
  readonly sorting: Sorting;
  readonly selection: Selection<AnimalView>;
}

const List = ({ view, isStale, isFiltered, words, sorting, selection }: ListProps) => (
  <div>
    <Panel isFlush>
      {view.items.length > 0 ? (
        <Table
          caption="Animals"
          columns={COLUMNS}
          rows={view.items}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => linkTo(`/animals/${id}`)}
          isStale={isStale}
          sorting={sorting}
          selection={may(WRITES_STOCK) ? selection : undefined}
        />
      ) : view.indexing ? (
        <Empty title="Nothing found so far">Not all names are indexed yet.</Empty>
      ) : isFiltered ? (
        <Empty title="No matching animals">
          There are no <bdi>{words}</bdi>. <a href={linkTo("/animals")}>Show all animals</a>
        </Empty>
      ) : (
        <Empty title="No animals yet">
          {may(WRITES_STOCK) ? (
            <>
              Add the first one with the button above, or <a href={linkTo("/animals/import")}>import a file</a>.
            </>
          ) : (
            "Operators and clerks can add them."
          )}
        </Empty>
      )}
    </Panel>
    <CursorPager next={view.next} isStale={isStale} />
  </div>
);
