# The compiled program on a plain Debian: no Node at run time, and not as root.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY client/package.json client/
COPY test/documents/generators/package.json test/documents/generators/
RUN npm ci --omit=dev && npm cache clean --force
COPY tsconfig.json ./
COPY scripts/build.ts scripts/
COPY src src
COPY console console
RUN npm run build

FROM debian:bookworm-slim
# 1000 is also who owned the data in images that ran on Node. Kubernetes can verify a number only.
RUN useradd --uid 1000 --user-group --no-create-home --shell /usr/sbin/nologin animal-store \
  && install -d -o animal-store -g animal-store -m 0700 /app/data
COPY --from=build /app/build/animal-store /usr/local/bin/animal-store
WORKDIR /app
ENV HOST=0.0.0.0 PORT=8080
USER 1000:1000
EXPOSE 8080
VOLUME /app/data
HEALTHCHECK --interval=5s --timeout=4s --start-period=30s --retries=3 CMD ["animal-store", "ready"]
ENTRYPOINT ["animal-store"]
CMD ["serve"]
