import type { UsageSeriesView } from "../../../src/console/api/index.ts";
import { PLAN_NAMES, PLANS, type Plan, type Quotas } from "../../../src/domain/keys/plan.ts";
import { strikesToBan } from "../../../src/domain/limits/ban.ts";
import { useDescription } from "../../components/forms/Form.tsx";
import { busiestDayText, planName, planText } from "../../format/keys.ts";
import { grouped } from "../../format/numbers.ts";
import { useLive } from "../../live.ts";

interface PlanFieldProps {
  readonly value: Plan;
  readonly onChange: (plan: Plan) => void;
  readonly mistake: string | undefined;
  /** The quota that is typed for a plan without its own; 0 if none is. */
  readonly perMinute: number;
  /** The id of the key that is edited, if any. */
  readonly id: string | undefined;
}

/** The choice of a plan: all of them side by side and, if the key exists, what it needed lately. */
export function PlanField({ value, onChange, mistake, perMinute, id }: PlanFieldProps) {
  const usage = useLive<UsageSeriesView>(id === undefined ? undefined : `/keys/${id}/usage?span=month`);
  const busiest = Math.max(0, ...(usage.data?.buckets ?? []).map(({ requests }) => requests));
  const minute = PLANS[value]?.perMinute ?? perMinute;
  const hint = (
    <>
      {minute === 0
        ? "Set its quotas below."
        : `Requests beyond its quotas are refused, and ${grouped(strikesToBan(minute))} refusals in a minute ban the key.`}
      {busiest > 0 && ` ${busiestDayText(busiest)}`}
    </>
  );
  const { id: group, described, notes } = useDescription({ hint, mistake });
  const row = (plan: Plan) => {
    const quotas: Quotas | undefined = PLANS[plan];
    return (
      <tr key={plan}>
        <th scope="row">
          <label class="choice">
            <input
              type="radio"
              name={group}
              aria-label={planText(plan)}
              aria-invalid={described["aria-invalid"]}
              checked={plan === value}
              onChange={() => onChange(plan)}
            />
            {planName(plan)}
          </label>
        </th>
        {quotas ? (
          <>
            <td class="num">{grouped(quotas.perMinute)}</td>
            <td class="num">{grouped(quotas.perDay)}</td>
          </>
        ) : (
          <td class="num" colSpan={2}>
            you set them
          </td>
        )}
      </tr>
    );
  };
  return (
    <fieldset class="field" aria-describedby={described["aria-describedby"]}>
      <legend>Plan</legend>
      <table class="plans">
        <thead>
          <tr>
            <td />
            <th scope="col" class="num">
              Per minute
            </th>
            <th scope="col" class="num">
              Per day
            </th>
          </tr>
        </thead>
        <tbody>{PLAN_NAMES.map(row)}</tbody>
      </table>
      {notes}
    </fieldset>
  );
}
