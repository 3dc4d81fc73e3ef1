import type { ConfirmedForm, ListedKeyView } from "../../../src/console/api/index.ts";
import { call } from "../../api.ts";
import type { BulkAction } from "../../components/selection/ActionBar.tsx";
import { ActOnAll, type RowRequest } from "../../components/selection/ActOnAll.tsx";

// The actions on several keys at once: each sends what the page of one key does.

const pathOf = ({ id }: ListedKeyView): string => `/keys/${encodeURIComponent(id)}`;

const confirmed = ({ name }: ListedKeyView): ConfirmedForm => ({ name });

const post =
  (done: string, name: string, bodyFor: (key: ListedKeyView) => object = () => ({})) =>
  (): RowRequest<ListedKeyView> => ({
    done,
    send: (key) => call(`${pathOf(key)}/${name}`, { method: "POST", body: bodyFor(key), outlivesPage: true }),
  });

const deletion = (): RowRequest<ListedKeyView> => ({
  done: "deleted",
  send: (key) => call(pathOf(key), { method: "DELETE", body: confirmed(key), outlivesPage: true }),
});

export const KEY_ACTIONS: readonly BulkAction<ListedKeyView>[] = [
  {
    verb: "Suspend",
    canDo: ({ state }) => state === "active" || state === "banned",
    ask: (many) => (
      <ActOnAll many={many} verb="Suspend" prepare={post("suspended", "suspend")}>
        They do not work until you resume them.
      </ActOnAll>
    ),
  },
  {
    verb: "Resume",
    canDo: ({ state }) => state === "suspended",
    ask: (many) => (
      <ActOnAll many={many} verb="Resume" prepare={post("resumed", "resume")}>
        They work again.
      </ActOnAll>
    ),
  },
  {
    verb: "Revoke",
    isDanger: true,
    canDo: ({ state }) => state !== "revoked",
    ask: (many) => (
      <ActOnAll many={many} verb="Revoke" prepare={post("revoked", "revoke", confirmed)} isFinal>
        All of their secrets stop working immediately. This cannot be undone, and their users will need other keys.
      </ActOnAll>
    ),
  },
  {
    verb: "Delete",
    isDanger: true,
    canDo: ({ state }) => state === "revoked",
    ask: (many) => (
      <ActOnAll many={many} verb="Delete" prepare={deletion} isFinal>
        Everything that is kept about them is deleted, such as their usage. This cannot be undone, and takes some
        seconds for those that were revoked just now.
      </ActOnAll>
    ),
  },
];
