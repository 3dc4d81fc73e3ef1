/** What the service reports about itself while it works. Every method is cheap and never throws. */
export interface Telemetry {
  /** False: nothing is recorded, so that nothing needs to be timed. */
  readonly isOn: boolean;
  request(operation: string, status: number, seconds: number): void;
  /** A request that was refused, with its error code. */
  refusal(code: string): void;
  ban(): void;
  storeError(): void;
  /** Whether this instance counts by itself because Redis does not answer. */
  meterDegraded(isDegraded: boolean): void;
  /** Whether connections are closed early because the limit of open files is near. */
  connectionsLimited(areLimited: boolean): void;
}

export const noTelemetry: Telemetry = {
  isOn: false,
  request() {},
  refusal() {},
  ban() {},
  storeError() {},
  meterDegraded() {},
  connectionsLimited() {},
};
