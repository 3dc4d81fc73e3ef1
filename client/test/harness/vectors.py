"""Runs vectors on the client of docs/python.md. Prints how each ended, as JSON."""

import json
import sys

from animal_store import AnimalStore, AnimalStoreError


def run(vector, answers, options, work):
    """What came of some work with a client whose requests get these answers, and when they were sent, in ms."""
    now = [0.0]
    sent = []

    def sleep(seconds):
        now[0] += seconds

    def send(method, url, headers, body, timeout):
        sent.append({"url": url, "atMs": now[0] * 1000, "key": headers.get("Idempotency-Key")})
        answer = answers.pop(0)
        if "failure" in answer:
            raise ConnectionResetError("the test has broken the connection")
        lower = {name.lower(): value for name, value in answer["headers"].items()}
        return answer["status"], lower, answer["body"].encode()

    store = AnimalStore("http://127.0.0.1:8080/v1", "ask_test", send=send, clock=lambda: now[0], sleep=sleep, **options)
    ids = []
    try:
        work(store, ids)
        outcome = {"kind": "done"}
    except AnimalStoreError as error:
        after = None if error.retry_after is None else round(error.retry_after * 1000)
        outcome = {"kind": "failed", "code": error.code, "status": error.status, "retryAfterMs": after}
    return {"name": vector["name"], "sent": sent, "ids": ids, "outcome": outcome, "left": len(answers)}


def call(vector):
    asked = vector["call"]

    def work(store, _):
        if asked["method"] == "GET":
            list(store.items(asked["path"]))
        else:
            store.request(asked["method"], asked["path"], asked.get("body"), asked.get("idempotencyKey"))

    return work


def walk(vector):
    def work(store, ids):
        for pet in store.items("/pets", **vector["query"]):
            ids.append(str(pet["id"]))

    return work


def seconds(options):
    return {"retries": options["retries"], "max_wait": options["maxWaitMs"] / 1000}


retries, faults, pages = (json.load(open(path, encoding="utf-8"))["vectors"] for path in sys.argv[1:])
print(
    json.dumps(
        {
            "retries": [run(vector, vector["answers"], seconds(vector["options"]), call(vector)) for vector in retries],
            "faults": [run(vector, [vector["answer"]], {"retries": 0}, call(vector)) for vector in faults],
            "pages": [run(vector, vector["answers"], {}, walk(vector)) for vector in pages],
        }
    )
)
