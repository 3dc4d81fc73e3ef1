import { useState } from "preact/hooks";
import type { AnimalView, ConfirmedForm, OrderListView } from "../../../src/console/api/index.ts";
import { WRITES_STOCK } from "../../../src/domain/console-role.ts";
import { call } from "../../api.ts";
import { CommandButton } from "../../commands/CommandButton.tsx";
import { type Command, useCommands } from "../../commands/registry.ts";
import { Confirm } from "../../components/dialogs/Confirm.tsx";
import { CopyableId } from "../../components/forms/CopyButton.tsx";
import { Facts, Page, Panel } from "../../components/layout/Page.tsx";
import { PageOfOne } from "../../components/layout/PageOfOne.tsx";
import { Empty, Loaded, Outdated } from "../../components/layout/states.tsx";
import { say } from "../../components/Toasts.tsx";
import { CategoryName } from "../../components/tables/CategoryName.tsx";
import { Badge } from "../../components/tables/StateBadge.tsx";
import { Table } from "../../components/tables/Table.tsx";
import { capitalized } from "../../format/keys.ts";
import { quoted } from "../../format/names.ts";
import { animalStatusLabel, categoryOf } from "../../format/stock.ts";
import { type Live, useLive } from "../../live.ts";
import { linkTo, navigate } from "../../router.ts";
import { may } from "../../session.ts";
import { NameCategory } from "../categories/NameCategory.tsx";
import { ORDER_COLUMN, PLACED_COLUMN, REFERENCE_COLUMN, STATUS_COLUMN } from "../orders/OrderList.tsx";
import { UpdateAnimal } from "./AnimalForm.tsx";

const PARENT = { title: "Animals", href: linkTo("/animals") };

/** One animal: its details, its orders, and its actions. */
export function Animal({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const path = `/animals/${encodeURIComponent(params.id as string)}`;
  const live = useLive<AnimalView>(path);
  return (
    <PageOfOne live={live} title="Animal" what="the animal" parent={PARENT}>
      {(animal) => <Known live={live} of={animal} />}
    </PageOfOne>
  );
}

interface KnownProps {
  readonly live: Live<AnimalView>;
  readonly of: AnimalView;
}

function Known({ live, of }: KnownProps) {
  const [open, setOpen] = useState<"edit" | "delete" | "category" | undefined>(undefined);
  const close = (): void => setOpen(undefined);
  const [edit, deletion, naming] = may(WRITES_STOCK)
    ? [
        { title: "Edit this animal", run: () => setOpen("edit") },
        { title: "Delete this animal…", run: () => setOpen("delete") },
        {
          title: of.categoryName === null ? "Name this category" : "Rename this category",
          run: () => setOpen("category"),
        },
      ]
    : [];
  useCommands([edit, naming, deletion]);
  return (
    <Page
      title={of.name}
      badge={<Badge {...animalStatusLabel(of.status)} />}
      parent={PARENT}
      actions={edit && <CommandButton of={edit}>Edit</CommandButton>}
    >
      {live.error !== undefined && <Outdated error={live.error} />}
      <div class="two">
        <Orders of={of} />
        <AnimalFacts of={of} naming={naming} />
      </div>
      {deletion && (
        <Panel>
          <div class="row is-spread">
            <div>
              <h2>Delete this animal</h2>
              <p class="soft">
                This cannot be undone. An animal that was ordered cannot be deleted, because its orders refer to it.
              </p>
            </div>
            <CommandButton of={deletion} class="is-danger">
              Delete…
            </CommandButton>
          </div>
        </Panel>
      )}
      {open === "edit" && <UpdateAnimal of={of} onSaved={live.replace} onClose={close} />}
      {open === "category" && <NameCategory of={categoryOf(of)} onNamed={live.reload} onClose={close} />}
      {open === "delete" && <DeleteAnimal of={of} onClose={close} />}
    </Page>
  );
}

interface AnimalFactsProps {
  readonly of: AnimalView;
  readonly naming: Command | undefined;
}

const AnimalFacts = ({ of, naming }: AnimalFactsProps) => (
  <Panel title="Details">
    <Facts
      facts={[
        ["Id", <CopyableId key="id" id={of.id} />],
        ["Status", capitalized(of.status)],
        [
          "Category",
          <div key="category" class="stack is-tight">
            <a href={linkTo("/animals", { categoryId: of.categoryId })}>
              <CategoryName of={categoryOf(of)} />
            </a>
            {naming && (
              <span>
                <CommandButton of={naming} />
              </span>
            )}
          </div>,
        ],
      ]}
    />
  </Panel>
);

const ORDER_COLUMNS = [ORDER_COLUMN, STATUS_COLUMN, REFERENCE_COLUMN, PLACED_COLUMN];

function Orders({ of }: { readonly of: AnimalView }) {
  const live = useLive<OrderListView>(`/orders?petId=${of.id}`);
  return (
    <Panel title="Orders" isFlush aside={<a href={linkTo("/orders", { view: "list" })}>All orders</a>}>
      <Loaded live={live} what="the orders">
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No orders">Orders are placed through the API.</Empty>
          ) : (
            <Table
              caption="Orders of this animal"
              columns={ORDER_COLUMNS}
              rows={items}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => linkTo(`/orders/${id}`)}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function DeleteAnimal({ of, onClose }: { readonly of: AnimalView; readonly onClose: () => void }) {
  const remove = async (name: string): Promise<void> => {
    await call(`/animals/${of.id}`, { method: "DELETE", body: { name } satisfies ConfirmedForm });
    onClose();
    say(`${quoted(of.name)} was deleted.`);
    // After the dialog has returned the focus.
    setTimeout(() => navigate(PARENT.href));
  };
  return (
    <Confirm
      title="Delete this animal?"
      name={of.name}
      submit="Delete permanently"
      onConfirm={remove}
      onClose={onClose}
    >
      This cannot be undone, and its id will never be reused.
    </Confirm>
  );
}
