import bearerAuth from "@fastify/bearer-auth";
import rateLimit from "@fastify/rate-limit";
import Fastify from "fastify";
import {
  ERROR,
  error,
  LIST_QUERY,
  NEW_PET,
  NOT_FOUND,
  nextLink,
  PET,
  PET_PARAMS,
  PETS,
  tooMany,
  UNAUTHORISED,
} from "./contract.js";
import { apiKey, database, host, perMinute, petsUrl, port } from "./settings.js";
import { openStore } from "./store.js";

const store = openStore(database);
const app = Fastify({ logger: false });

app.setErrorHandler((fault, _request, reply) => {
  const status = fault.statusCode ?? fault.status ?? 500;
  if (typeof fault.code === "string" && typeof fault.status === "number") return reply.code(status).send(fault);
  const code = status < 500 ? "invalid_value" : "internal_error";
  return reply.code(status).send(error(status, code, status < 500 ? fault.message : "Something went wrong."));
});

// Registered before the key check, so that every response has the rate-limit headers.
await app.register(rateLimit, {
  global: false,
  max: perMinute,
  timeWindow: "1 minute",
  keyGenerator: (request) => request.headers.authorization ?? request.ip,
  errorResponseBuilder: (_request, { max }) => tooMany(max),
});
app.addHook("onRequest", app.rateLimit());
await app.register(bearerAuth, { keys: new Set([apiKey]), errorResponse: () => UNAUTHORISED });
app.addHook("onRequest", async (_request, reply) => {
  reply.header("cache-control", "no-store");
});

app.get(
  "/v1/pets",
  { schema: { querystring: LIST_QUERY, response: { 200: PETS, "4xx": ERROR } } },
  async (request, reply) => {
    const { rows, next } = store.list(request.query);
    if (next !== undefined) reply.header("link", nextLink(petsUrl, request.query, next));
    return rows;
  },
);

app.get(
  "/v1/pets/:petId",
  { schema: { params: PET_PARAMS, response: { 200: PET, "4xx": ERROR } } },
  async (request, reply) => store.get(request.params.petId) ?? reply.code(404).send(NOT_FOUND),
);

app.post("/v1/pets", { schema: { body: NEW_PET, response: { 201: PET, "4xx": ERROR } } }, async (request, reply) => {
  const pet = store.create(request.body);
  reply.code(201).header("location", `${petsUrl}/${pet.id}`);
  return pet;
});

await app.listen({ host, port });

process.on("SIGTERM", async () => {
  await app.close();
  store.close();
  process.exit(0);
});
