-- Signing keys, codes, refresh tokens, what every process must know within a second, and rate limits.

-- What one process did and every other must know soon: an application changed, something was revoked, a key was made.
-- Readers ask for what became visible since the snapshot of their last look (pg_visible_in_snapshot), so the order in
-- which transactions commit does not matter and nothing is missed.
create table announcements (
  id bigint generated always as identity primary key,
  xact xid8 not null default pg_current_xact_id(),
  topic text not null,
  key text not null,
  issued_before timestamptz,
  expires_at timestamptz not null
);
create index announcements_by_xact on announcements (xact);
create index announcements_by_key on announcements (topic, key);
create index announcements_by_expiry on announcements (expires_at);

-- Triggers, so that a change by hand is announced too.
create function announce_application() returns trigger language plpgsql as $$
begin
  insert into announcements (topic, key, expires_at)
  values ('application', coalesce(new.id, old.id), now() + interval '1 hour');
  return null;
end $$;
create trigger applications_announced after insert or update or delete on applications
  for each row execute function announce_application();

create function announce_application_secret() returns trigger language plpgsql as $$
begin
  insert into announcements (topic, key, expires_at)
  values ('application', coalesce(new.application_id, old.application_id), now() + interval '1 hour');
  return null;
end $$;
-- Not for last_used_at, which moves all the time and changes nothing.
create trigger application_secrets_announced
  after insert or delete or update of application_id, secret_hash, revoked_at on application_secrets
  for each row execute function announce_application_secret();

create index applications_by_web_origin on applications using gin (web_origins);

create table signing_keys (
  kid text primary key,
  algorithm text not null check (algorithm in ('RS256', 'ES256', 'EdDSA')),
  public_jwk jsonb not null,
  -- PKCS#8, encrypted under the master key; erased when it signs no more.
  private_key bytea,
  created_at timestamptz not null default now(),
  signs_from timestamptz not null,
  -- Empty for the newest key of its algorithm.
  signs_until timestamptz,
  published_until timestamptz
);
create unique index signing_keys_newest on signing_keys (algorithm) where signs_until is null;

create table authorization_codes (
  code_hash bytea primary key,
  -- What the code gives carries this id, so that all of it can be revoked when the code is used twice.
  grant_id text not null,
  application_id text not null references applications (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  redirect_uri text,
  scope text[] not null,
  audience text,
  nonce text,
  code_challenge text,
  sid text not null,
  auth_time timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz
);
create index authorization_codes_by_expiry on authorization_codes (expires_at);

-- One family for each exchange of a code or password; it lives and dies as a whole.
create table refresh_families (
  id text primary key,
  application_id text not null references applications (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  scope text[] not null,
  audience text,
  sid text not null,
  auth_time timestamptz not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_because text
);
create index refresh_families_by_user on refresh_families (user_id, application_id) where revoked_at is null;
create index refresh_families_by_expiry on refresh_families (expires_at);

create table refresh_tokens (
  token_hash bytea primary key,
  family_id text not null references refresh_families (id) on delete cascade,
  predecessor_hash bytea,
  created_at timestamptz not null default now(),
  consumed_at timestamptz,
  -- Where support set a leeway: the successor, encrypted under a key that only the holder of this token can derive.
  successor_sealed bytea,
  successor_until timestamptz
);
create index refresh_tokens_by_family on refresh_tokens (family_id);
create index refresh_tokens_with_successor on refresh_tokens (successor_until) where successor_sealed is not null;

-- The shared side of the rate limits. Losing it in a crash refills every bucket, so it need not be written ahead.
create unlogged table rate_buckets (
  key text primary key,
  level double precision not null,
  per_second double precision not null,
  burst double precision not null,
  updated_at timestamptz not null
);

-- Failures of one kind (of a client at an address, of an account, …) since the first one of the current window.
create table failure_counts (
  key text primary key,
  failures int not null,
  window_ends_at timestamptz not null
);
create index failure_counts_by_end on failure_counts (window_ends_at);
