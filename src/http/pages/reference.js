// Runs in the browser, on the page /docs, after Scalar's own script.

// Requests from this page go to the server that it was loaded from, whatever name that was reached by.
const { publicUrl } = document.getElementById("reference").dataset;
const here = new URL("v1", location.href).href;
Scalar.createApiReference("#reference", {
  url: "openapi.json",
  servers: [{ url: new URL(publicUrl).origin === location.origin ? publicUrl : here }],
  withDefaultFonts: false,
  hideClientButton: true,
  telemetry: false,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  metaData: { title: "Animal Store API reference" },
});
