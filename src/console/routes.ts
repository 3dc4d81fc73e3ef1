import { showSession, signOut, signOutEverywhere } from "./auth/session.ts";
import type { ConsoleRoutes } from "./handler.ts";
import { addAnimal, deleteAnimal, getAnimal, listAnimals, updateAnimal } from "./resources/animals.ts";
import { listCategories, nameCategory, unnameCategory } from "./resources/categories.ts";
import { exportFiltered } from "./resources/export.ts";
import { showFrame } from "./resources/frame.ts";
import {
  beginImport,
  downloadRejected,
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
  listOfKeys,
  resume,
  revoke,
  rotate,
  suspend,
  unban,
  usageOfOneKey,
  viewOfKey,
} from "./resources/keys.ts";
import { listOrders, updateOrder } from "./resources/orders.ts";
import { showOverview } from "./resources/overview.ts";

/** The handlers below /console/api. Signing in, which needs no session, is in dispatcher.ts. */
export const ROUTES: ConsoleRoutes = {
  "/session": { GET: showSession, DELETE: signOut },
  "/sessions": { DELETE: signOutEverywhere },
  "/frame": { GET: showFrame },
  "/overview": { GET: showOverview },
  "/keys": { GET: listOfKeys, POST: issue },
  "/keys/:id": { GET: viewOfKey, PATCH: edit },
  "/keys/:id/usage": { GET: usageOfOneKey },
  "/keys/:id/rotate": { POST: rotate },
  "/keys/:id/suspend": { POST: suspend },
  "/keys/:id/resume": { POST: resume },
  "/keys/:id/revoke": { POST: revoke },
  "/keys/:id/unban": { POST: unban },
  "/animals": { GET: listAnimals, POST: addAnimal },
  "/animals/:id": { GET: getAnimal, PATCH: updateAnimal, DELETE: deleteAnimal },
  "/categories": { GET: listCategories },
  "/categories/:id": { PUT: nameCategory, DELETE: unnameCategory },
  "/imports": { GET: listImports, POST: beginImport },
  "/imports/works": { GET: listWorks },
  "/imports/:id": { GET: showWork, DELETE: stopWork },
  "/imports/:id/rejected": { GET: downloadRejected },
  "/imports/:id/undo": { POST: undoImportOf },
  "/export": { GET: exportFiltered },
  "/orders": { GET: listOrders },
  "/orders/:id": { PATCH: updateOrder },
  "/journal": { GET: listJournal },
};
