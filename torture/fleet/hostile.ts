import { RawConnection } from "../../test/harness/requests/raw.ts";
import { HOSTILE_REQUESTS, REFUSED_REQUESTS } from "../../test/harness/requests/worst-requests.ts";
import type { Random } from "../common/random.ts";
import type { Scoreboard } from "../common/scoreboard.ts";

const ALL = Object.entries({
  ...REFUSED_REQUESTS,
  ...Object.fromEntries(
    Object.entries(HOSTILE_REQUESTS).map(([name, bytes]) => [name, { bytes, status: undefined, code: undefined }]),
  ),
});

/** Sends one bad request after another, some of them cut off. No other client may notice. */
export async function sendHostileRequests(
  origin: string,
  random: Random,
  board: Scoreboard,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const [name, { bytes, status, code }] = random.pick(ALL);
    const isCutOff = random.chance(0.2);
    const connection = await RawConnection.open(origin);
    connection.send(isCutOff ? bytes.slice(0, random.int(0, bytes.length)) : bytes);
    board.count("hostile requests");
    if (isCutOff) await Bun.sleep(random.int(0, 20));
    else checkAnswer(await connection.answer());
    connection.destroy();
    await Bun.sleep(random.int(0, 20));

    function checkAnswer(answer: string): void {
      board.check(!answer.includes("<html"), () => `${name}: nginx answered in its own words: ${answer}`);
      const isAsExpected =
        status === undefined || (answer.startsWith(`HTTP/1.1 ${status} `) && answer.includes(`"${code}"`));
      board.check(isAsExpected, () => `${name}: expected ${status} ${code}, got ${answer || "silence"}`);
    }
  }
}
