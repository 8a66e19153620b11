-- The support console: staff with accounts of their own (decision E1), and what support looks things up by.

-- Made by `handover staff add`; without a password until its owner used the link that the command printed.
create table staff (
  id text primary key,
  email text not null,
  email_folded text not null unique,
  name text not null,
  password_hash text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table staff_sessions (
  -- SHA-256 of the cookie's value.
  secret_hash bytea primary key,
  sid text not null unique,
  staff_id text not null references staff (id) on delete cascade,
  auth_time timestamptz not null default now(),
  -- Whether a one-time code was given in it: an account may have got its second factor after the session began.
  second_factor boolean not null default false,
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  user_agent text not null default '',
  address text not null default ''
);
create index staff_sessions_by_staff on staff_sessions (staff_id);
create index staff_sessions_by_expiry on staff_sessions (expires_at);

-- As the tables of integrators with the same endings.
create table staff_browsers (
  staff_id text not null references staff (id) on delete cascade,
  browser_hash bytea not null,
  seen_at timestamptz not null default now(),
  primary key (staff_id, browser_hash)
);
create table staff_pending_sign_ins (
  browser_hash bytea primary key,
  staff_id text not null references staff (id) on delete cascade,
  expires_at timestamptz not null
);
create index staff_pending_sign_ins_by_staff on staff_pending_sign_ins (staff_id);
create index staff_pending_sign_ins_by_expiry on staff_pending_sign_ins (expires_at);
create table staff_password_resets (
  secret_hash bytea primary key,
  staff_id text not null references staff (id) on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index staff_password_resets_by_staff on staff_password_resets (staff_id);
create index staff_password_resets_by_expiry on staff_password_resets (expires_at);
create table staff_totp_secrets (
  staff_id text primary key references staff (id) on delete cascade,
  secret_sealed bytea not null,
  enrolled_at timestamptz not null default now(),
  last_step bigint not null
);
create table staff_recovery_codes (
  staff_id text not null references staff_totp_secrets (staff_id) on delete cascade,
  code_hash bytea not null,
  primary key (staff_id, code_hash)
);

-- Support reads the log of everybody: each filter has its index, and each ends in the id, which is the cursor and the time.
create index audit_log_by_action on audit_log (action, id desc);
create index audit_log_by_actor_name on audit_log (actor_name, id desc);
create index audit_log_by_request on audit_log (request_id, id desc) where request_id is not null;

-- Names are found by how they begin, in any case of the letters A to Z: in the C collation, whatever the server's is.
create index facilities_by_name on facilities (lower(name collate "C"));
create index facilities_by_id on facilities (id);
create index applications_by_name on applications (lower(name collate "C"));
create index teams_by_name on teams (lower(name collate "C"));
