import type { KeyRowView } from "../../../src/console/api/index.ts";
import { now } from "../../clock.ts";
import { type StateLabel, stateLabel } from "../../format/keys.ts";

/** A state as text; the colour only repeats it. */
export const Badge = ({ text, tone }: StateLabel) => <span class={`badge is-${tone}`}>{text}</span>;

type Stateful = Pick<KeyRowView, "state" | "bannedUntilMs" | "expiresAtMs">;

/** The state of a key. */
export const StateBadge = ({ of }: { readonly of: Stateful }) => <Badge {...stateLabel(of, now.value)} />;
