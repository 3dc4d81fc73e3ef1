import type { IssuedView } from "../../../src/console/api/index.ts";
import { CopyButton } from "../../components/forms/CopyButton.tsx";
import { snippetsFor } from "../../format/snippets.ts";
import { addressOfApi } from "../../session.ts";

/** Shows first requests with a new secret, ready to be copied. */
export const FirstRequests = ({ issued: { key, secret } }: { readonly issued: IssuedView }) => (
  <details class="first-requests">
    <summary>Try it, on a command line or in a program</summary>
    {snippetsFor(addressOfApi(), secret, key.scopes).map(({ title, what, text }) => (
      <section key={what} class="snippet" aria-label={title}>
        <div class="row is-spread">
          <h3>{title}</h3>
          <CopyButton text={text} what={what} />
        </div>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
    ))}
  </details>
);
