import type { BunRequest } from "bun";
import type { Handler } from "../pipeline/handler.ts";

// Bun's router matches a path as it was sent, but `request.url` has its normal form: "/console//../api" is matched as
// "/console/*", and its URL says "/console/api". A proxy that decides by one form and a server that acts on the other
// disagree about what was asked for. Only the parameters of a route tell what was sent, so there is no "/*" here.

/** The most segments below a prefix that any page has, and a few more. */
const MAX_DEPTH = 6;

/** All segments of our paths are made of these characters, none of which is ever encoded or removed. */
const PLAIN_SEGMENT = /^(?!\.{1,2}$)[\w.~-]+$/;

/** Routes of a path and everything below it, if the path is in its normal form. */
export function plainPaths(prefix: string, handler: Handler, otherwise: Handler): Record<string, Handler> {
  const plain: Handler = (request, server) => (isPlain(request) ? handler : otherwise)(request, server);
  const routes: Record<string, Handler> = { [prefix]: plain, [`${prefix}/*`]: otherwise };
  let path = prefix;
  for (let depth = 1; depth <= MAX_DEPTH; depth++) {
    routes[`${path}/`] = plain;
    path += `/:segment${depth}`;
    routes[path] = plain;
  }
  return routes;
}

/** An encoded character is the only other spelling that a segment may have by now. */
const isPlain = ({ params, url }: BunRequest): boolean =>
  Object.values(params as Record<string, string>).every((segment) => PLAIN_SEGMENT.test(segment)) &&
  !/^[^?]*%/.test(url);
