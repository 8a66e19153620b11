import type { NotRun } from './sample-rules.ts'

/** Every block of the documentation that no test runs. Whoever adds one says so here as well, so that it is not done silently. */
export const NOT_RUN: readonly NotRun[] = [
  {
    path: 'README.md',
    first: 'npm start    # sets everything up and runs the service in demo mode at http://localhost:4000',
    reason: 'npm start is run by test/faults/first-run.test.ts, and npm test is what runs it',
  },
  {
    path: 'docs/pages/cli.md',
    first: 'handover login --url https://api.example.com',
    reason: 'it waits for somebody with a browser',
  },
  {
    path: 'docs/pages/cli.md',
    first: 'handover deliveries tail --since 10m',
    reason: 'it runs until it is interrupted',
  },
  {
    path: 'docs/pages/operations/alerts.md',
    first: 'promtool check rules deploy/prometheus/alerts.yaml',
    reason: 'needs promtool, which comes with Prometheus',
  },
  {
    path: 'docs/pages/operations/backup-and-restore.md',
    first: 'pg_dump --format=custom --no-owner "$DATABASE_URL" > handover.dump',
    reason: 'it needs a PostgreSQL of your own and its client programs',
  },
  {
    path: 'docs/pages/operations/backup-and-restore.md',
    first: 'handover export --stopped |',
    reason: 'it needs a second PostgreSQL; test/storage/moving-up.test.ts does the same',
  },
  {
    path: 'docs/pages/operations/deploy.md',
    first: 'export AUTH_URL=https://id.example.com',
    reason: 'needs Docker',
  },
  {
    path: 'docs/pages/operations/deploy.md',
    first: 'kubectl create namespace handover',
    reason: 'needs a cluster',
  },
  {
    path: 'docs/pages/operations/deploy.md',
    first: 'cp -r . /opt/handover && cd /opt/handover && npm ci --omit=dev',
    reason: 'needs systemd and root',
  },
  {
    path: 'docs/pages/operations/keys.md',
    first: 'export HANDOVER_MASTER_KEY=$(openssl rand -base64 32)',
    reason: 'the processes have to be restarted with the two keys first',
  },
  {
    path: 'docs/pages/operations/metrics.md',
    first: 'scrape_configs:',
    reason: 'a configuration, not a program',
  },
  {
    path: 'docs/pages/operations/scale-out.md',
    first: "alter role handover set statement_timeout = '10s';",
    reason: 'needs a server whose roles one may change',
  },
  {
    path: 'docs/pages/operations/upgrade.md',
    first: 'docker compose build && docker compose run --rm migrate',
    reason: 'needs Docker',
  },
  {
    path: 'docs/pages/operations/upgrade.md',
    first: 'kubectl --namespace handover delete job handover-migrate --ignore-not-found',
    reason: 'needs a cluster',
  },
  {
    path: 'docs/pages/operations/upgrade.md',
    first: 'cd /opt/handover && npm ci --omit=dev && bin/handover migrate',
    reason: 'needs systemd and root',
  },
]
