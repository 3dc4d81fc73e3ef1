// Runs in the browser, on the page /docs, after Scalar's own script.

// Requests from this page go to the server that it was loaded from, whatever name that was reached by.
const { publicUrl, description, otherUrl, otherDescription, title } = document.getElementById("reference").dataset;
const here = new URL("v1", location.href).href;
const isHere = new URL(publicUrl, location.href).origin === location.origin;
const own = { url: isHere ? new URL(publicUrl, location.href).href : here, description };
Scalar.createApiReference("#reference", {
  url: "openapi.json",
  servers: otherUrl ? [own, { url: otherUrl, description: otherDescription }] : [own],
  // The document has its own samples: those that Scalar makes up name the key differently.
  hiddenClients: true,
  // As it is served: what Scalar has of it is changed.
  documentDownloadType: "direct",
  withDefaultFonts: false,
  hideClientButton: true,
  telemetry: false,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  metaData: { title },
});
