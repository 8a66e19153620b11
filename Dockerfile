# The service without what only a newcomer needs: DATABASE_URL names the database, so no PostgreSQL is inside.
# Node 24 by its major version, so that a new build brings security fixes; who wants the same bytes again pins a digest.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No tools (dev), no embedded PostgreSQL (optional), and no script: one would fetch a second Node.
RUN npm ci --omit=dev --omit=optional --ignore-scripts
# bin/handover runs the Node that the package brings; here that is the image's own.
RUN ln -sf /usr/local/bin/node node_modules/.bin/node

FROM node:24-slim
LABEL org.opencontainers.image.title="Handover" \
      org.opencontainers.image.description="Identity and webhooks for the partners of a staffing marketplace" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY migrations migrations
COPY public public
COPY docs docs
COPY src src
RUN ln -s /app/bin/handover /usr/local/bin/handover
# The account "node" of the image, by number: Kubernetes believes only numbers. All of /app is root's, and nothing writes there.
USER 1000:1000
EXPOSE 4000 9464
# In flight work gets 10 s; give the container 30.
STOPSIGNAL SIGTERM
# Alive, not ready: a container is not to be ended because its database is away.
HEALTHCHECK --interval=15s --timeout=3s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["handover"]
CMD ["serve"]
