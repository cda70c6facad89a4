# syntax=docker/dockerfile:1
# The image of the gateway. The final stage runs no command, so BASE may be any image with glibc and libstdc++, and
# nothing of the build is left in it.
#
#   docker build -t trade-gateway .
#
# An npm registry of your own is a secret of the build: --secret id=npmrc,src=$HOME/.npmrc
ARG BUILD_BASE=node:24-slim
ARG BASE=debian:13-slim

FROM ${BUILD_BASE} AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
COPY packages/cli/package.json packages/cli/
COPY packages/connector/package.json packages/connector/
COPY packages/connector-kit/package.json packages/connector-kit/
COPY packages/connector-medusa/package.json packages/connector-medusa/
COPY packages/connector-tryton/package.json packages/connector-tryton/
COPY packages/console/package.json packages/console/
COPY packages/contract-checks/package.json packages/contract-checks/
COPY packages/create-channel/package.json packages/create-channel/
COPY packages/create-connector/package.json packages/create-connector/
COPY packages/gateway/package.json packages/gateway/
COPY packages/sandbox-erp/package.json packages/sandbox-erp/
COPY packages/sdk/package.json packages/sdk/
COPY packages/simulator/package.json packages/simulator/
COPY packages/trials/package.json packages/trials/
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --no-progress
COPY . .
# The package that is published to npm, and Node from the lock file. /data belongs to the user of the final stage. The
# program runs once as this user, for whom Node keeps the compiled code: nothing beside it can be written later.
RUN node_modules/.bin/node scripts/pack-command.ts /packs --only trade-gateway \
  && mkdir -p /image/app /image/data /image/usr/local/bin \
  && tar -xzf /packs/trade-gateway-*.tgz -C /image/app --strip-components=1 \
  && cp -L node_modules/.bin/node /image/usr/local/bin/node \
  && install -d -o 10001 /image/app/packages/gateway/node_modules/.cache \
  && setpriv --reuid=10001 --clear-groups /image/usr/local/bin/node /image/app/packages/gateway/src/command.js --help >/dev/null \
  && chown -R 0:0 /image/app/packages/gateway/node_modules/.cache \
  && chmod -R a+rX /image/app/packages/gateway/node_modules/.cache \
  && chown 10001:10001 /image/data && chmod 700 /image/data

FROM ${BASE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Trade Gateway" \
  org.opencontainers.image.description="One stable JSON contract in front of a wholesaler's ERP: stock, orders, statements, webhooks, agents." \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
COPY --from=build /image/ /
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["/usr/local/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The process is the first of its container and handles SIGTERM itself: it drains, and exits with 0.
ENTRYPOINT ["/usr/local/bin/node", "/app/packages/gateway/src/command.js"]
