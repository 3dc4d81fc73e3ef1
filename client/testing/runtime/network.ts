/** There are no addresses here, and no proxies. */
export const net = (): never => {
  throw new Error("The testing kit has no network.");
};
