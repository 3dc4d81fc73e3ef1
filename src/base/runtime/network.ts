import { lazy } from "../lazy.ts";

/** node:net is slow to load, and never needed on IPv4 without a proxy. */
export const net = lazy(() => process.getBuiltinModule("node:net"));
