import { useKit } from "../harness/target.ts";

// The tests of the client once more, with the testing kit in place of the service. exact.test.ts leaves one out, which
// changes the database of the service.

useKit();
await import("../operations.test.ts");
await import("../pages.test.ts");
await import("../queries.test.ts");
await import("../requests.test.ts");
await import("../exact.test.ts");
