import { timingSafeEqual } from "node:crypto";
import { Ajv } from "ajv";
import express from "express";
import { ipKeyGenerator, rateLimit } from "express-rate-limit";
import { error, LIST_QUERY, NEW_PET, NOT_FOUND, nextLink, PET_PARAMS, tooMany, UNAUTHORISED } from "./contract.js";
import { apiKey, database, host, perMinute, petsUrl, port } from "./settings.js";
import { openStore } from "./store.js";

const store = openStore(database);
const app = express();
app.disable("x-powered-by");
app.disable("etag");

const texts = new Ajv({ coerceTypes: true, useDefaults: true });
const isListQuery = texts.compile(LIST_QUERY);
const isPetParams = texts.compile(PET_PARAMS);
const isNewPet = new Ajv().compile(NEW_PET);

const refuse = (response, fault) => response.status(fault.status).json(fault);
const wrong = (response, { errors }) => refuse(response, error(400, "invalid_value", texts.errorsText(errors)));

const EXPECTED = Buffer.from(`Bearer ${apiKey}`);
function requireKey(request, response, next) {
  const sent = Buffer.from(request.headers.authorization ?? "");
  if (sent.length === EXPECTED.length && timingSafeEqual(sent, EXPECTED)) next();
  else refuse(response, UNAUTHORISED);
}

const api = express.Router();
// Before the key is checked, so that every response has the rate-limit headers.
api.use(
  rateLimit({
    windowMs: 60_000,
    limit: perMinute,
    legacyHeaders: true,
    standardHeaders: false,
    keyGenerator: (request) => request.headers.authorization ?? ipKeyGenerator(request.ip),
    handler: (_request, response, _next, { limit }) => refuse(response, tooMany(limit)),
  }),
);
api.use(requireKey);
api.use((_request, response, next) => {
  response.set("Cache-Control", "no-store");
  next();
});

api.get("/pets", (request, response) => {
  const query = { ...request.query };
  if (!isListQuery(query)) return wrong(response, isListQuery);
  const { rows, next } = store.list(query);
  if (next !== undefined) response.set("Link", nextLink(petsUrl, query, next));
  response.json(rows);
});

api.get("/pets/:petId", (request, response) => {
  const params = { ...request.params };
  const pet = isPetParams(params) ? store.get(params.petId) : undefined;
  if (pet === undefined) refuse(response, NOT_FOUND);
  else response.json(pet);
});

api.post("/pets", express.json({ limit: "64kb" }), (request, response) => {
  if (!isNewPet(request.body)) return wrong(response, isNewPet);
  const pet = store.create(request.body);
  response.status(201).location(`${petsUrl}/${pet.id}`).json(pet);
});

app.use("/v1", api);
app.use((fault, _request, response, _next) => {
  const status = fault.status ?? 500;
  const code = status < 500 ? "invalid_value" : "internal_error";
  refuse(response, error(status, code, status < 500 ? fault.message : "Something went wrong."));
});

const server = app.listen(port, host);

process.on("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
  store.close();
  process.exit(0);
});
