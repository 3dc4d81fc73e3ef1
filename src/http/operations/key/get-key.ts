import type { Pass } from "../../../access/gate.ts";
import { done } from "../../../base/result.ts";
import { andThen } from "../../../base/time/awaitable.ts";
import { operation } from "../../declare/operation.ts";
import { KEY, KEY_EXAMPLE, KEY_TAG, keyJson, type OwnKey } from "../../wire/key.ts";

export const getKey = operation({
  name: "getKey",
  method: "GET",
  path: "/key",
  tag: KEY_TAG,
  scope: undefined,
  isPersonal: true,
  summary: "Get your key",
  description:
    "What the key that you call with may do, and how its quotas stand after this very request, which counts.",
  parameters: {},
  success: { status: 200, description: "The key.", schema: KEY, examples: { key: KEY_EXAMPLE } },
  perform: ({ caller }, { gate }) => {
    const pass = caller as Pass;
    return andThen(gate.strikesLeft(pass), (strikesLeft) => done<OwnKey>({ ...pass, strikesLeft }));
  },
  render: (own) => ({ body: keyJson(own) }),
});
