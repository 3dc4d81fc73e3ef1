import { expect, test } from "bun:test";
import { failureOf, isOfReplica, isReply } from "./failures.ts";

/** Errors in the wording of servers of version 6 and 7, and of the runtime. */
const MESSAGES = {
  "is a replica and cannot count": [
    "READONLY You can't write against a read only replica. script: c813fd, on @user_script:1.",
    "ERR Error running script (call to f_1): @user_script:74: @user_script: 74: -READONLY You can't write against a read only replica.",
  ],
  "is a replica without its master and cannot count": [
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  ],
  "is still loading its data": ["LOADING Redis is loading the dataset in memory"],
  "belongs to a cluster that is down": ["CLUSTERDOWN The cluster is down", "CLUSTERDOWN Hash slot not served"],
  "has no memory left": ["OOM command not allowed when used memory > 'maxmemory'."],
  "cannot save to its disk and refuses to count": [
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
  ],
  "has fewer replicas than min-replicas-to-write": ["NOREPLICAS Not enough good replicas to write."],
  "is busy with another script": ["BUSY Redis is busy running a script. You can only call SCRIPT KILL"],
  "refuses connections": ["connect ECONNREFUSED 127.0.0.1:1"],
  "has a host name that cannot be resolved": ["getaddrinfo ENOTFOUND nowhere.invalid"],
  "does not answer": ["no answer within 150 ms", "connect ETIMEDOUT", "Connection is closed.", "read ECONNRESET"],
};

/** Errors that only another setting cures. */
const PERMANENT = {
  "refuses the user name or password": ["WRONGPASS invalid username-password pair or user is disabled."],
  "requires a password": ["NOAUTH Authentication required.", "NOAUTH HELLO must be called with the client already"],
  "does not permit its user to count": ["NOPERM User u has no permissions to run the 'evalsha' command"],
  "is a node of a cluster, and REDIS_URL names only this one": ["MOVED 3999 127.0.0.1:6381"],
  "is not a node of a cluster, but REDIS_URL names several servers": ["ERR This instance has cluster support disabled"],
  "does not have that many databases": ["ERR DB index is out of range"],
  "does not speak the protocol of Redis": ['Unknown RESP type 72 "H". Please report this.'],
  "is not watched by what REDIS_URL names: that is a Redis server, not a sentinel": [
    "ERR unknown command 'SENTINEL', with args beginning with: 'GET-MASTER-ADDR-BY-NAME' 'm' ",
    "ERR unknown command `sentinel`, with args beginning with: `get-master-addr-by-name`, `m`, ",
  ],
  "has a certificate for another host name": ["ERR_TLS_CERT_ALTNAME_INVALID"],
  "wants a certificate from this instance": ["ERR_SSL_TLSV1_ALERT_CERTIFICATE_REQUIRED"],
  "has a certificate that is not trusted": ["SELF_SIGNED_CERT_IN_CHAIN", "CERT_HAS_EXPIRED", "UNABLE_TO_VERIFY_LEAF"],
};

test("an error says what is the matter, what to do about it, and whether it can come right by itself", () => {
  for (const [messages, isPermanent] of [
    [MESSAGES, false],
    [PERMANENT, true],
  ] as const)
    for (const [reason, texts] of Object.entries(messages))
      for (const text of texts)
        expect([text, failureOf(new Error(text))]).toEqual([
          text,
          expect.objectContaining({ reason, isPermanent, remedy: expect.stringMatching(/\w{4}/) }),
        ]);
});

test("the error behind an error counts, and so does a code", () => {
  const refused = Object.assign(new Error("failed"), { code: "ECONNREFUSED" });
  const wrong = new Error("WRONGPASS");
  expect(failureOf(new Error("closed", { cause: refused })).reason).toBe("refuses connections");
  const all = Object.assign(new Error("Failed to refresh slots cache."), { lastNodeError: wrong });
  expect(failureOf(new Error("there is no connection", { cause: all })).reason).toBe(
    "refuses the user name or password",
  );
  expect(failureOf("anything").reason).toBe("does not answer");
});

test("only what a replica says leads to a new connection", () => {
  expect(isOfReplica(new Error("READONLY You can't write"))).toBe(true);
  expect(isOfReplica(new Error("MASTERDOWN Link"))).toBe(true);
  expect(isOfReplica(new Error("LOADING Redis"))).toBe(false);
});

test("an answer is told from the lack of one by its name", () => {
  expect(isReply(Object.assign(new Error("OOM"), { name: "ReplyError" }))).toBe(true);
  expect(isReply(new Error("Connection is closed."))).toBe(false);
});
