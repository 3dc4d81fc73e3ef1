/** The two environments of the contract: one that clients rely on, and one to try things out in. */
export const ENVIRONMENT_NAMES = ["production", "staging"] as const;

export type EnvironmentName = (typeof ENVIRONMENT_NAMES)[number];

export const otherEnvironment = (environment: EnvironmentName): EnvironmentName =>
  environment === "production" ? "staging" : "production";
