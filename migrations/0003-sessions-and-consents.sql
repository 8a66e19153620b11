-- Browser sessions of people, what they allowed, and sign-ins that are under way.

create table sessions (
  -- SHA-256 of the cookie's value.
  secret_hash bytea primary key,
  -- The public id: the `sid` of ID tokens.
  sid text not null unique,
  user_id text not null references users (id) on delete cascade,
  auth_time timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- Thirty days after it began, whatever is done with it.
  expires_at timestamptz not null,
  ended_at timestamptz,
  user_agent text not null default '',
  address text not null default ''
);
create index sessions_of_user on sessions (user_id) where ended_at is null;
create index sessions_by_expiry on sessions (expires_at);

-- Which applications got tokens in a session: logout by `sid` alone may return to one of these.
create table session_applications (
  sid text not null references sessions (sid) on delete cascade,
  application_id text not null references applications (id) on delete cascade,
  primary key (sid, application_id)
);

-- What a person allowed an application, for one audience. Scopes only grow; revoking ends the row.
create table consents (
  user_id text not null references users (id) on delete cascade,
  application_id text not null references applications (id) on delete cascade,
  -- Empty when no API was asked for.
  audience text not null,
  scope text[] not null,
  granted_at timestamptz not null default now(),
  primary key (user_id, application_id, audience)
);
create index consents_of_application on consents (application_id);

-- Something that waits for its person to sign in, sign up or allow it: a request to /authorize, or the person's own page.
-- Bound to one browser.
create table interactions (
  secret_hash bytea primary key,
  browser_hash bytea not null,
  -- The query of /authorize as it came, checked again at every step; empty for the person's own page.
  authorize_query text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  consented_at timestamptz,
  -- The account was chosen on this page (prompt=select_account).
  selected_at timestamptz,
  -- The password was right and the one-time code is still to come.
  pending_user_id text references users (id) on delete cascade,
  pending_until timestamptz
);
create index interactions_by_expiry on interactions (expires_at);

-- A cross-site POST to /authorize or /logout brings no Lax cookies: its parameters wait here for the GET that follows.
create table posted_parameters (
  secret_hash bytea primary key,
  path text not null,
  body text not null,
  expires_at timestamptz not null
);
create index posted_parameters_by_expiry on posted_parameters (expires_at);

-- Browsers in which a person has signed in before: guesses from elsewhere do not lock them out.
create table known_browsers (
  user_id text not null references users (id) on delete cascade,
  browser_hash bytea not null,
  seen_at timestamptz not null default now(),
  primary key (user_id, browser_hash)
);

-- Six digits sent by mail to prove an address before the account exists. Bound to one interaction of one browser.
create table sign_ups (
  -- SHA-256 of the interaction's secret.
  secret_hash bytea primary key,
  browser_hash bytea not null,
  -- HMAC of the digits under the interaction's secret, which is stored nowhere: a million codes are too few for a plain hash.
  code_hash bytea not null,
  code_expires_at timestamptz not null,
  attempts int not null default 0,
  -- Everything typed, the password as its hash; encrypted, because the person does not exist yet.
  details_sealed bytea not null,
  expires_at timestamptz not null
);
create index sign_ups_by_expiry on sign_ups (expires_at);

create table password_resets (
  secret_hash bytea primary key,
  user_id text not null references users (id) on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_resets_by_user on password_resets (user_id);
create index password_resets_by_expiry on password_resets (expires_at);

-- Time-based one-time passwords (RFC 6238). A row is made by the first right code, so there are no half-made ones.
create table totp_secrets (
  user_id text primary key references users (id) on delete cascade,
  secret_sealed bytea not null,
  enrolled_at timestamptz not null default now(),
  -- A code is good once: the last time step that was used.
  last_step bigint not null
);

-- For the day the phone is lost. A code is good once: using it deletes it.
create table recovery_codes (
  user_id text not null references totp_secrets (user_id) on delete cascade,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);
