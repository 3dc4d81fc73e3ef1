# Small, not running as root, with a health check. npm installs Bun, as it does everywhere.
FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && npm cache clean --force

FROM node:20-slim
WORKDIR /app
ENV HOST=0.0.0.0 PORT=8080
COPY --from=build /app/node_modules node_modules
COPY package.json tsconfig.json ./
COPY bin bin
COPY src src
RUN mkdir data && chown node:node data
USER node
EXPOSE 8080
VOLUME /app/data
HEALTHCHECK --interval=2s --timeout=2s --start-period=5s --retries=15 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/animal-store.js"]
CMD ["serve"]
