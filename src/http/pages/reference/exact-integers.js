// Runs in the browser, on the page /docs, after Scalar's own script and before it is started.

// Scalar shows responses and examples as JSON.parse has them, which rounds integers beyond 2^53. Of the texts that came
// from this service, it gets such integers as raw JSON instead, which JSON.stringify writes digit by digit.
const KEPT_RESPONSES = 20;
const responses = [];
const examples = new Set();
const isOurs = (text) => responses.includes(text) || examples.has(text);

const { parse } = JSON;
const isRounded = (value, source) =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
const exactly = (_, value, { source }) => (isRounded(value, source) ? JSON.rawJSON(source) : value);

/** Each example that has such an integer becomes a text: all else that Scalar knows of the document is copied many times. */
function withExactExamples(text) {
  const document = parse(text, exactly);
  const visit = (node) => {
    if (typeof node !== "object" || node === null || JSON.isRawJSON(node)) return;
    for (const example of Object.values(node.examples ?? {}))
      if (
        typeof example?.value === "object" &&
        JSON.stringify(example.value) !== JSON.stringify(rounded(example.value))
      ) {
        example.value = JSON.stringify(example.value, null, 2);
        examples.add(example.value);
      }
    Object.values(node).forEach(visit);
  };
  visit(document);
  return JSON.stringify(document);
}

const rounded = (value) => parse(JSON.stringify(value));

function keepIntegersExact() {
  const { fetch: fetchPlainly } = window;
  window.fetch = async (...args) => {
    const response = await fetchPlainly(...args);
    const { pathname } = new URL(response.url);
    if (pathname.endsWith("/openapi.json")) return new Response(withExactExamples(await response.text()), response);
    if (pathname.includes("/v1/")) responses.push(await response.clone().text());
    if (responses.length > KEPT_RESPONSES) responses.shift();
    return response;
  };
  JSON.parse = (text, reviver) => parse(text, reviver ?? (isOurs(text) ? exactly : undefined));
}

if (JSON.rawJSON) keepIntegersExact();
// A browser that cannot: better to know.
else document.getElementById("rounding").hidden = false;
