-- The developer portal: integrators with accounts of their own (decision E1), their teams, and who changed what.

-- Apart from `users`, who are nurses and facilities. The e-mail is compared by its folded form, which the program makes.
create table integrators (
  id text primary key,
  email text not null,
  email_folded text not null unique,
  name text not null,
  password_hash text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table teams (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table team_members (
  team_id text not null references teams (id) on delete cascade,
  integrator_id text not null references integrators (id) on delete cascade,
  role text not null check (role in ('owner', 'developer', 'read-only')),
  joined_at timestamptz not null default now(),
  primary key (team_id, integrator_id)
);
create index team_members_by_integrator on team_members (integrator_id, joined_at);

-- A mailed link that works once: accepting and withdrawing delete the row. Of its secret only the SHA-256 is kept.
create table team_invitations (
  id text primary key,
  team_id text not null references teams (id) on delete cascade,
  email text not null,
  email_folded text not null,
  role text not null check (role in ('owner', 'developer', 'read-only')),
  secret_hash bytea not null unique,
  invited_by text references integrators (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (team_id, email_folded)
);
create index team_invitations_by_expiry on team_invitations (expires_at);
create index team_invitations_by_inviter on team_invitations (invited_by);

create table integrator_sessions (
  -- SHA-256 of the cookie's value.
  secret_hash bytea primary key,
  sid text not null unique,
  integrator_id text not null references integrators (id) on delete cascade,
  -- The team that was opened last: /portal leads there.
  team_id text references teams (id) on delete set null,
  auth_time timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  user_agent text not null default '',
  address text not null default ''
);
create index integrator_sessions_by_integrator on integrator_sessions (integrator_id);
create index integrator_sessions_by_team on integrator_sessions (team_id) where team_id is not null;
create index integrator_sessions_by_expiry on integrator_sessions (expires_at);

-- Browsers in which an integrator has signed in before: guesses from elsewhere do not lock them out.
create table integrator_browsers (
  integrator_id text not null references integrators (id) on delete cascade,
  browser_hash bytea not null,
  seen_at timestamptz not null default now(),
  primary key (integrator_id, browser_hash)
);

-- The password was right and the one-time code is still to come. One for each browser.
create table integrator_pending_sign_ins (
  browser_hash bytea primary key,
  integrator_id text not null references integrators (id) on delete cascade,
  expires_at timestamptz not null
);
create index integrator_pending_sign_ins_by_integrator on integrator_pending_sign_ins (integrator_id);
create index integrator_pending_sign_ins_by_expiry on integrator_pending_sign_ins (expires_at);

-- Six digits sent by mail to prove an address before the account exists. One for each browser.
create table integrator_sign_ups (
  browser_hash bytea primary key,
  -- HMAC of the digits under the browser's name, of which only the hash is stored.
  code_hash bytea not null,
  code_expires_at timestamptz not null,
  attempts int not null default 0,
  -- Everything typed, the password as its hash; encrypted, because the account does not exist yet.
  details_sealed bytea not null,
  expires_at timestamptz not null
);
create index integrator_sign_ups_by_expiry on integrator_sign_ups (expires_at);

create table integrator_password_resets (
  secret_hash bytea primary key,
  integrator_id text not null references integrators (id) on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index integrator_password_resets_by_integrator on integrator_password_resets (integrator_id);
create index integrator_password_resets_by_expiry on integrator_password_resets (expires_at);

-- As totp_secrets and recovery_codes are for people of the marketplace.
create table integrator_totp_secrets (
  integrator_id text primary key references integrators (id) on delete cascade,
  secret_sealed bytea not null,
  enrolled_at timestamptz not null default now(),
  last_step bigint not null
);
create table integrator_recovery_codes (
  integrator_id text not null references integrator_totp_secrets (integrator_id) on delete cascade,
  code_hash bytea not null,
  primary key (integrator_id, code_hash)
);

-- The team that an application belongs to; none for what was made before there were teams.
alter table applications add column team_id text references teams (id);
create index applications_of_team on applications (team_id) where team_id is not null;

-- Who changed what, and what it was before. Rows are only ever added, in the transaction of the change. No secret is in it.
-- Without foreign keys: what happened stays readable when whoever did it, or what it was done to, is gone.
create table audit_log (
  -- Sorts by time, so it is the cursor too.
  id text primary key,
  at timestamptz not null default now(),
  actor_kind text not null check (actor_kind in ('integrator', 'staff', 'command', 'platform')),
  actor_id text,
  -- As they were called then.
  actor_name text not null,
  team_id text,
  application_id text,
  action text not null,
  before jsonb,
  after jsonb,
  request_id text
);
create index audit_log_of_team on audit_log (team_id, id desc) where team_id is not null;
create index audit_log_of_team_by_action on audit_log (team_id, action, id desc) where team_id is not null;
create index audit_log_of_application on audit_log (application_id, id desc) where application_id is not null;
create index audit_log_of_actor on audit_log (actor_id, id desc) where actor_id is not null;
