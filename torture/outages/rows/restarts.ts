import { newCertificate } from "../../../test/harness/servers/certificates.ts";
import { type Shutdown, TestPostgres } from "../../../test/harness/servers/postgres.ts";
import type { Mix } from "../../workload/load.ts";
import { Instances } from "../instances.ts";
import type { Row, Scene } from "../row.ts";
import { ANIMALS, CREATIONS, IDEMPOTENT, TRANSITIONS, underLoad, type Watch } from "../under-load.ts";

/** Alternates between two kinds of restarts. */
export async function restartRepeatedly(
  { random, effort }: Scene,
  watch: Watch,
  restart: (how: Shutdown) => Promise<void>,
): Promise<void> {
  for (let i = 0; i < effort.times; i++) {
    await Bun.sleep(random.int(400, 900));
    watch.down();
    await restart(i % 2 === 0 ? "fast" : "immediate");
    watch.back();
  }
  await Bun.sleep(500);
}

const LOADS: Readonly<Record<string, Mix>> = {
  "idempotent writes": IDEMPOTENT,
  "order moves": TRANSITIONS,
  "plain creations": CREATIONS,
  "updates and deletions": ANIMALS,
};

/** The TLS settings for connections to PostgreSQL. */
const TRANSPORTS = ["", "sslmode=require", "sslmode=verify-full"] as const;

async function play(scene: Scene, mix: Mix, transport: (typeof TRANSPORTS)[number]): Promise<void> {
  const { board, effort, random } = scene;
  const certificate = transport === "" ? undefined : newCertificate("localhost");
  const postgres = await TestPostgres.start(certificate ? { certificate } : {});
  const database = await postgres.database();
  const address = new URL(database);
  if (certificate) address.hostname = "localhost";
  address.search = transport;
  if (certificate && transport === "sslmode=verify-full")
    address.searchParams.set("sslrootcert", certificate.authorityFile);
  const env = { DATABASE_URL: address.href };
  const instances = await Instances.start(board, { count: effort.instances, env, database });
  const load = { instances, mix, database: () => database, exposures: effort.times };
  await underLoad(scene, load, async (watch) => {
    await restartRepeatedly(scene, watch, async (how) => {
      await postgres.stop(how);
      await Bun.sleep(random.int(0, 300));
      await postgres.start();
    });
    if (certificate) await checkEncryption(scene, postgres);
  });
  await postgres.stop();
}

/** Checks that connections that should use TLS do. */
async function checkEncryption({ board }: Scene, postgres: TestPostgres): Promise<void> {
  const rows = await postgres.admin(
    (sql) =>
      sql`SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'animal-store%'`,
  );
  const isEncrypted = rows.length > 0 && rows.every(({ ssl }: { ssl: boolean }) => ssl);
  board.check(isEncrypted, () => `of ${rows.length} connections to PostgreSQL some are not encrypted`);
}

export const RESTARTS: readonly Row[] = TRANSPORTS.flatMap((transport) =>
  Object.entries(LOADS).map(([name, mix]) => ({
    name: `PostgreSQL restarted: ${name}${transport && `, ${transport}`}`,
    ...(transport ? { needs: "openssl" } : {}),
    play: (scene: Scene) => play(scene, mix, transport),
  })),
);
