-- Passkeys of integrators: a key pair of which the authenticator keeps the private half (decision record 80).

create table integrator_passkeys (
  id text primary key,
  integrator_id text not null references integrators (id) on delete cascade,
  -- As the authenticator named it, unique among all of ours.
  credential_id bytea not null unique,
  -- COSE, as it came.
  public_key bytea not null,
  -- How often it was used by its own count; many authenticators always say 0.
  counter bigint not null,
  transports text[] not null,
  -- Whether a password manager carries it to other devices.
  synced boolean not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index integrator_passkeys_by_integrator on integrator_passkeys (integrator_id, id);

-- What an authenticator has to sign: once, within minutes, in the browser that asked. One for each browser and purpose.
create table integrator_passkey_challenges (
  browser_hash bytea not null,
  purpose text not null check (purpose in ('add', 'sign-in')),
  challenge text not null,
  -- To whose account it is added, who has just proven who they are; nobody's while signing in.
  integrator_id text references integrators (id) on delete cascade,
  expires_at timestamptz not null,
  primary key (browser_hash, purpose),
  check ((purpose = 'add') = (integrator_id is not null))
);
create index integrator_passkey_challenges_by_integrator on integrator_passkey_challenges (integrator_id)
  where integrator_id is not null;
create index integrator_passkey_challenges_by_expiry on integrator_passkey_challenges (expires_at);

-- What people did to their own account, for their own page: one walk, however much they did in their teams.
create index audit_log_of_account on audit_log (actor_id, id desc) where team_id is null and actor_id is not null;
