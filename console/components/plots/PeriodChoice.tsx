import { useState } from "preact/hooks";
import type { ChosenPeriod } from "../../../src/console/api/index.ts";
import { call } from "../../api.ts";
import { now } from "../../clock.ts";
import { useCommands } from "../../commands/registry.ts";
import { extentOf, inAddress, inQuery, periodText, SPANS } from "../../format/periods.ts";
import { localInput } from "../../format/time.ts";
import { type Address, linkWith, navigate, withParams } from "../../router.ts";
import { Dialog } from "../dialogs/Dialog.tsx";
import { Form, TextField } from "../forms/Form.tsx";
import { Segments } from "../forms/Segments.tsx";

interface PeriodChoiceProps {
  readonly address: Address;
  readonly chosen: ChosenPeriod;
  /** The path that is asked for the usage of the period. */
  readonly path: string;
}

/** Shows another period, which is kept in the address. */
export const goToPeriod = (address: Address, chosen: ChosenPeriod): void =>
  navigate(linkWith(address, inAddress(chosen)));

/** Chooses the period of a page's plots. It is kept in the address. */
export function PeriodChoice({ address, chosen, path }: PeriodChoiceProps) {
  const [isOpen, setOpen] = useState(false);
  const own = "span" in chosen ? undefined : chosen;
  useCommands([{ title: "Choose a period…", run: () => setOpen(true) }]);
  return (
    <>
      <Segments
        label="Period"
        choices={SPANS.map(({ span, label }) => ({
          label,
          href: linkWith(address, inAddress({ span })),
          isCurrent: "span" in chosen && chosen.span === span,
        }))}
      >
        <button type="button" aria-current={own ? "true" : undefined} onClick={() => setOpen(true)}>
          {own ? periodText(own, now.value) : "Period…"}
        </button>
      </Segments>
      {isOpen && <OwnPeriod address={address} chosen={chosen} path={path} onClose={() => setOpen(false)} />}
    </>
  );
}

function OwnPeriod({ address, chosen, path, onClose }: PeriodChoiceProps & { readonly onClose: () => void }) {
  const [from, setFrom] = useState(() => localInput(extentOf(chosen, now.peek()).fromMs));
  const [until, setUntil] = useState(() => ("span" in chosen || !chosen.untilMs ? "" : localInput(chosen.untilMs)));
  const show = async (): Promise<void> => {
    const period = { fromMs: Date.parse(from), untilMs: until === "" ? undefined : Date.parse(until) };
    // The server knows what is kept, and says what is wrong with which field.
    await call(withParams(path, Number.isNaN(period.fromMs) ? { until: now.peek() } : inQuery(period)));
    onClose();
    // After the dialog has returned the focus.
    setTimeout(() => goToPeriod(address, period));
  };
  return (
    <Dialog title="Choose a period" onClose={onClose}>
      <Form submit="Show this period" fields={["from", "until"]} onSubmit={show} onCancel={onClose}>
        {(mistakeIn) => (
          <>
            <TextField
              label="From"
              type="datetime-local"
              value={from}
              onChange={setFrom}
              mistake={mistakeIn("from")}
              isFocused
            />
            <TextField
              label="Until"
              type="datetime-local"
              value={until}
              onChange={setUntil}
              hint="Leave it empty to follow what happens now."
              mistake={mistakeIn("until")}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
