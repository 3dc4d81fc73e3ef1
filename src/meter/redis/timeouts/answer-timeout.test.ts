import { describe, expect, test } from "bun:test";
import { FakeScheduler } from "../../../../test/harness/time/scheduler.ts";
import { AnswerTimeouts } from "./answer-timeout.ts";

function setUp() {
  const scheduler = new FakeScheduler();
  const timeouts = new AnswerTimeouts(150, scheduler);
  const givenUp: string[] = [];
  const errors: Error[] = [];
  const call = (name = "call") =>
    timeouts.begin((error) => {
      givenUp.push(name);
      errors.push(error);
    });
  /** The event loop turns as often as it should. */
  const run = (ms: number) => {
    for (let i = 0; i < ms / 10; i++) scheduler.advance(10);
  };
  /** The process is stopped or busy, and then turns once. */
  const stall = (ms: number) => scheduler.advance(ms);
  return { scheduler, timeouts, givenUp, errors, call, run, stall };
}

describe("AnswerTimeouts", () => {
  test("gives up on an answer after 150 ms, on each for itself, and not on one that came", () => {
    const { timeouts, call, run, givenUp, errors } = setUp();
    call("first");
    run(50);
    const answered = call("answered");
    call("second");
    run(50);
    expect(timeouts.end(answered, true)).toBe(true);
    run(50);
    expect(givenUp).toEqual([]);
    run(10);
    expect(givenUp).toEqual(["first"]);
    expect(errors[0]?.message).toBe("no answer within 150 ms");
    run(50);
    expect(givenUp).toEqual(["first", "second"]);
  });

  test("time in which this process could not run does not count: stopped for seconds, it still reads the answer", () => {
    const { timeouts, call, run, stall, givenUp } = setUp();
    const calls = [call("before")];
    for (let i = 0; i < 3; i++) {
      stall(300);
      run(20);
      calls.push(call(`after ${i}`));
    }
    stall(10_000);
    expect(givenUp).toEqual([]);
    for (const each of calls) expect(timeouts.end(each, true)).toBe(true);
  });

  test("but however late the event loop turns, an answer that does not come is given up", () => {
    const { call, stall, givenUp } = setUp();
    call();
    for (let turns = 0; turns < 9; turns++) stall(1_000);
    expect(givenUp).toEqual(["call"]);
  });

  test("an answer that arrived while the process was busy is taken, even if its time is up", () => {
    const { scheduler, timeouts, call, run, givenUp } = setUp();
    const arriving = call();
    run(150);
    scheduler.afterArrivals = (task) => {
      timeouts.end(arriving, true);
      task();
    };
    run(10);
    expect(givenUp).toEqual([]);
  });

  test("a slow answer, though too late, makes it wait twice as long; a second without one is enough", () => {
    const { timeouts, call, run, givenUp } = setUp();
    const late = call("late");
    run(310);
    expect(givenUp).toEqual(["late"]);
    expect(timeouts.end(late, true)).toBe(false);
    const patient = call("patient");
    run(590);
    expect(givenUp).toEqual(["late"]);
    expect(timeouts.end(patient, true)).toBe(true);
    call("dead");
    run(1_000);
    expect(givenUp).toEqual(["late"]);
    run(10);
    expect(givenUp).toEqual(["late", "dead"]);
  });

  test("slowness is forgotten after 10 to 20 seconds", () => {
    const { timeouts, call, run, givenUp } = setUp();
    const late = call("late");
    run(400);
    timeouts.end(late, true);
    const keepTurning = call("unanswered");
    run(20_000);
    timeouts.end(keepTurning, false);
    call("dead");
    run(160);
    expect(givenUp).toEqual(["late", "unanswered", "dead"]);
  });

  test("a connection that was lost says nothing about how slow Redis is", () => {
    const { timeouts, call, run, givenUp } = setUp();
    const lost = call("lost");
    run(900);
    timeouts.end(lost, false);
    call("dead");
    run(160);
    expect(givenUp).toEqual(["lost", "dead"]);
  });

  test("it does nothing while nothing is waited for, and time that passes then does not count", () => {
    const { scheduler, timeouts, call, run, givenUp } = setUp();
    expect(scheduler.nextDelayMs).toBeUndefined();
    timeouts.end(call(), true);
    run(20);
    expect(scheduler.nextDelayMs).toBeUndefined();
    scheduler.advance(60_000);
    call("next");
    run(150);
    expect(givenUp).toEqual([]);
    run(10);
    expect(givenUp).toEqual(["next"]);
  });
});
