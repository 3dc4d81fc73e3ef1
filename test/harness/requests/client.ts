import { AnimalStore, type AnimalStoreError, type Call } from "animal-store-client";

/** The official client, for tests that are not about the wire. It does not retry or wait, so that it hides nothing. */
export const clientOf = ({ origin }: { readonly origin: string }, secret: string): AnimalStore =>
  new AnimalStore({ baseUrl: `${origin}/v1`, apiKey: secret, retries: 0, pacing: false });

/** The status of the response, successful or not; undefined if there is none. */
export const statusOf = (call: Call<unknown>): Promise<number | undefined> =>
  call.withResponse().then(
    ({ status }) => status,
    ({ status }: AnimalStoreError) => status,
  );
