import { type PackedClient, packClient } from "./pack.ts";

const shared = process.env.TEST_CLIENT_PACKAGE;

/** The packed client, shared by all tests if the script that runs them has made it. */
export const PACKED: PackedClient = shared ? JSON.parse(shared) : await packClient();
