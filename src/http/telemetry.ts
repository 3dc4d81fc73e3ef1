import type { FaultCode } from "../domain/fault.ts";

/** What the service tells about itself while it works. Every method is cheap and never throws. */
export interface Telemetry {
  /** Whether anyone is told: if not, nothing has to be timed. */
  readonly isOn: boolean;
  request(operation: string, status: number, seconds: number): void;
  refusal(code: FaultCode): void;
  ban(): void;
  storeError(): void;
  /** Whether this instance counts for itself because Redis does not answer. */
  meterDegraded(isDegraded: boolean): void;
}

export const noTelemetry: Telemetry = {
  isOn: false,
  request() {},
  refusal() {},
  ban() {},
  storeError() {},
  meterDegraded() {},
};
