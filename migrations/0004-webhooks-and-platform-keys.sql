-- Webhooks of integrators, answers kept for repeated requests, and the keys of the marketplace's own back end.

-- What support can raise for one application (decisions C11, C12).
alter table applications
  add column api_rate_per_second int not null default 50 check (api_rate_per_second > 0),
  add column api_rate_burst int not null default 100 check (api_rate_burst > 0),
  add column webhooks_per_person int not null default 20 check (webhooks_per_person >= 0),
  add column webhooks_per_application int not null default 100 check (webhooks_per_application >= 0);

-- The environment of the platform key that made a person; empty for who signed up. A sandbox key changes only its own people.
alter table users add column made_in text check (made_in in ('production', 'sandbox'));

create table webhooks (
  id text primary key,
  kind text not null check (kind in ('facility', 'user')),
  environment text not null check (environment in ('production', 'sandbox')),
  application_id text not null references applications (id) on delete cascade,
  -- Whose it is; empty when the application registered it for itself (decision C4).
  user_id text references users (id) on delete cascade,
  url text not null,
  events text[] not null check (cardinality(events) > 0),
  -- One or two secrets, in order, encrypted under the master key.
  secrets_sealed bytea not null,
  -- Empty while it is enabled.
  disabled_because text,
  -- Moves with every change: readers compare it, and If-Match asks for it.
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhooks_of_application on webhooks (application_id, environment, kind, id);
create index webhooks_of_person on webhooks (user_id, application_id, environment, kind, id) where user_id is not null;
-- Events about a person go to the applications that the person allowed, too.
create index webhooks_about_people on webhooks (application_id, environment) where kind = 'user' and user_id is null;

-- How many webhooks an owner has of a kind. Counting and inserting in one statement would count too few while others insert;
-- raising this number does not (decision C11).
create table webhook_counts (
  application_id text not null references applications (id) on delete cascade,
  environment text not null,
  kind text not null,
  -- Empty for the application itself.
  user_id text not null,
  webhooks int not null,
  primary key (application_id, environment, kind, user_id)
);

-- Whoever deletes a webhook, and be it with its person, makes room for another.
create function uncount_webhook() returns trigger language plpgsql as $$
begin
  update webhook_counts set webhooks = webhooks - 1
  where application_id = old.application_id and environment = old.environment and kind = old.kind
    and user_id = coalesce(old.user_id, '');
  return null;
end $$;
create trigger webhooks_uncounted after delete on webhooks for each row execute function uncount_webhook();

-- Which facilities' events a webhook gets, in the order they were given. A facility that goes takes its rows along.
create table webhook_facilities (
  webhook_id text not null references webhooks (id) on delete cascade,
  environment text not null,
  facility_id text not null,
  position int not null,
  primary key (webhook_id, facility_id),
  foreign key (environment, facility_id) references facilities (environment, id) on delete cascade
);
create index webhook_facilities_by_facility on webhook_facilities (environment, facility_id, webhook_id);

-- The answer to a POST that carried an Idempotency-Key, kept for a day (decision C10).
create table idempotency_keys (
  -- SHA-256 of the key with everything it is scoped to.
  key_hash bytea primary key,
  body_hash bytea not null,
  -- Status, headers and body; encrypted, because it can carry secrets.
  answer_sealed bytea not null,
  expires_at timestamptz not null
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

-- What the marketplace's own back end proves itself with. Only the SHA-256 is kept.
create table platform_keys (
  id text primary key,
  name text not null,
  environment text not null check (environment in ('production', 'sandbox')),
  key_hash bytea not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
