# Countersign from this checkout: docker build -t countersign .
# Runs as a user without rights, writes to /data only, so a read-only root file system is fine:
#   docker run --read-only --tmpfs /tmp -v countersign:/data -p 127.0.0.1:4747:4747 \
#     -e COUNTERSIGN_PUBLIC_URL=https://countersign.example.com -e COUNTERSIGN_OIDC_CLIENT_SECRET \
#     countersign --oidc-issuer https://id.example.com --oidc-client-id countersign
# To pin the base as well: --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
# The lockfile pins everything: the image gets what was installed here, mail, traces and chat included.
RUN npm ci && npm pack --pack-destination /out && node scripts/image.ts /out/countersign-*.tgz /app

FROM ${NODE_IMAGE}
COPY --from=build /app /app
RUN ln -s /app/bin/countersign.js /usr/local/bin/countersign \
 && chmod 0755 /app/bin/countersign.js \
 && install -d -o node -g node -m 0700 /data
USER node
WORKDIR /data
ENV HOME=/data NODE_ENV=production COUNTERSIGN_DB=sqlite:/data/.countersign/approvals.db
VOLUME /data
EXPOSE 4747
# No shell in between: SIGTERM reaches the server, which then stops in order.
ENTRYPOINT ["countersign", "start", "--host", "0.0.0.0"]
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:4747/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
