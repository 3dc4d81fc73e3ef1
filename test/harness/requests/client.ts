import { AnimalStore, type AnimalStoreError, type Call } from "animal-store-client";

/** The official client, for tests that are not about the wire. It hides nothing: no retries, and no waiting. */
export const clientOf = ({ origin }: { readonly origin: string }, secret: string): AnimalStore =>
  new AnimalStore({ baseUrl: `${origin}/v1`, apiKey: secret, retries: 0, pacing: false });

/** Of the answer, whether it is a refusal or not; undefined if there is none. */
export const statusOf = (call: Call<unknown>): Promise<number | undefined> =>
  call.withResponse().then(
    ({ status }) => status,
    ({ status }: AnimalStoreError) => status,
  );
