import { EVERYBODY, OPERATOR_ONLY, READS_KEYS, WRITES_STOCK } from "../domain/console-role.ts";
import { showSession, signOut, signOutEverywhere } from "./auth/session.ts";
import { allow, type ConsoleRoutes } from "./handler.ts";
import { addAnimal, deleteAnimal, getAnimal, listAnimals, updateAnimal } from "./resources/animals.ts";
import { listCategories, listUsedCategories, nameCategory, unnameCategory } from "./resources/categories.ts";
import { exportFiltered } from "./resources/export.ts";
import { showFrame } from "./resources/frame.ts";
import {
  beginImport,
  downloadRejected,
  downloadRejectedLines,
  listImports,
  listWorks,
  showWork,
  stopWork,
  undoImportOf,
} from "./resources/imports.ts";
import { listJournal } from "./resources/journal.ts";
import {
  edit,
  issue,
  remove,
  resume,
  revoke,
  rotate,
  suspend,
  unban,
  usageOfOneKey,
  viewOfKey,
} from "./resources/keys/keys.ts";
import { listOfKeys } from "./resources/keys/list.ts";
import { listRequests, showRequest } from "./resources/keys/requests.ts";
import { getOrder, listOrders, updateOrder } from "./resources/orders/orders.ts";
import { showOverview } from "./resources/overview.ts";

/** The routes below /console/api, and who may take them. Signing in, which needs no session, is in dispatcher.ts. */
export const ROUTES: ConsoleRoutes = {
  "/session": { GET: allow(EVERYBODY, showSession), DELETE: allow(EVERYBODY, signOut) },
  "/sessions": { DELETE: allow(OPERATOR_ONLY, signOutEverywhere) },
  "/frame": { GET: allow(EVERYBODY, showFrame) },
  "/overview": { GET: allow(EVERYBODY, showOverview) },
  "/keys": { GET: allow(READS_KEYS, listOfKeys), POST: allow(OPERATOR_ONLY, issue) },
  "/keys/:id": {
    GET: allow(READS_KEYS, viewOfKey),
    PATCH: allow(OPERATOR_ONLY, edit),
    DELETE: allow(OPERATOR_ONLY, remove),
  },
  "/keys/:id/usage": { GET: allow(READS_KEYS, usageOfOneKey) },
  "/keys/:id/requests": { GET: allow(OPERATOR_ONLY, listRequests) },
  "/keys/:id/requests/:request": { GET: allow(OPERATOR_ONLY, showRequest) },
  "/keys/:id/rotate": { POST: allow(OPERATOR_ONLY, rotate) },
  "/keys/:id/suspend": { POST: allow(OPERATOR_ONLY, suspend) },
  "/keys/:id/resume": { POST: allow(OPERATOR_ONLY, resume) },
  "/keys/:id/revoke": { POST: allow(OPERATOR_ONLY, revoke) },
  "/keys/:id/unban": { POST: allow(OPERATOR_ONLY, unban) },
  "/animals": { GET: allow(EVERYBODY, listAnimals), POST: allow(WRITES_STOCK, addAnimal) },
  "/animals/:id": {
    GET: allow(EVERYBODY, getAnimal),
    PATCH: allow(WRITES_STOCK, updateAnimal),
    DELETE: allow(WRITES_STOCK, deleteAnimal),
  },
  "/categories": { GET: allow(EVERYBODY, listCategories) },
  "/used-categories": { GET: allow(EVERYBODY, listUsedCategories) },
  "/categories/:id": { PUT: allow(WRITES_STOCK, nameCategory), DELETE: allow(WRITES_STOCK, unnameCategory) },
  "/imports": { GET: allow(EVERYBODY, listImports), POST: allow(WRITES_STOCK, beginImport) },
  "/imports/works": { GET: allow(EVERYBODY, listWorks) },
  "/imports/:id": { GET: allow(EVERYBODY, showWork), DELETE: allow(WRITES_STOCK, stopWork) },
  "/imports/:id/rejected": { GET: allow(EVERYBODY, downloadRejected) },
  "/imports/:id/rejected-lines": { GET: allow(WRITES_STOCK, downloadRejectedLines) },
  "/imports/:id/undo": { POST: allow(WRITES_STOCK, undoImportOf) },
  "/export": { GET: allow(OPERATOR_ONLY, exportFiltered) },
  "/orders": { GET: allow(EVERYBODY, listOrders) },
  "/orders/:id": { GET: allow(EVERYBODY, getOrder), PATCH: allow(WRITES_STOCK, updateOrder) },
  "/journal": { GET: allow(EVERYBODY, listJournal) },
};
