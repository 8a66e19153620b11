-- People, facilities, who may see which, and the applications of integrators.

-- The id of the master key that encrypts this database (never the key): a wrong key is refused at start.
create table master_key (
  key_id text primary key,
  adopted_at timestamptz not null default now()
);
create unique index master_key_is_one on master_key ((true));

-- Nurse and facility users. E-mail and username are compared by their folded form, which the program makes:
-- the collation of a server we did not set up decides nothing.
create table users (
  id text primary key,
  role text not null check (role in ('NURSE_USER', 'FACILITY_USER')),
  email text not null,
  email_folded text not null unique,
  email_verified boolean not null default false,
  username text,
  username_folded text unique,
  name text not null,
  nickname text,
  picture text,
  phone_number text,
  phone_number_verified boolean not null default false,
  city text,
  state text,
  password_hash text,
  blocked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Production and sandbox have facilities of their own; the marketplace gives the ids.
create table facilities (
  environment text not null check (environment in ('production', 'sandbox')),
  id text not null,
  name text not null,
  city text,
  state text,
  created_at timestamptz not null default now(),
  primary key (environment, id)
);

create table facility_access (
  environment text not null,
  facility_id text not null,
  user_id text not null references users (id) on delete cascade,
  granted_at timestamptz not null default now(),
  primary key (environment, facility_id, user_id),
  foreign key (environment, facility_id) references facilities (environment, id) on delete cascade
);
create index facility_access_by_user on facility_access (user_id, environment, facility_id);

create table applications (
  id text primary key,
  name text not null,
  logo_url text,
  type text not null check (type in ('web', 'spa', 'native', 'machine')),
  redirect_uris text[] not null default '{}' check (cardinality(redirect_uris) <= 50),
  web_origins text[] not null default '{}',
  post_logout_redirect_uris text[] not null default '{}',
  implicit boolean not null default false,
  id_token_algorithm text not null default 'RS256' check (id_token_algorithm in ('RS256', 'ES256', 'EdDSA')),
  strict_oidc boolean not null default false,
  token_endpoint_authentication text not null
    check (token_endpoint_authentication in ('none', 'post', 'basic', 'either')),
  api_scopes text[] not null default '{marketplace:read,marketplace:write}',
  environments text[] not null default '{production,sandbox}',
  client_credentials boolean not null default false,
  password_grant boolean not null default false,
  refresh_lifetime_seconds int not null default 2592000 check (refresh_lifetime_seconds > 0),
  refresh_rotating boolean not null default true,
  refresh_leeway_seconds int not null default 0 check (refresh_leeway_seconds between 0 and 60),
  rate_per_second int not null default 100 check (rate_per_second > 0),
  rate_burst int not null default 200 check (rate_burst > 0),
  first_party boolean not null default false,
  suspended_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Two live secrets at most, so that one can be replaced without downtime. Only the SHA-256 is kept.
create table application_secrets (
  id text primary key,
  application_id text not null references applications (id) on delete cascade,
  name text not null,
  secret_hash bytea not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index application_secrets_live on application_secrets (application_id) where revoked_at is null;

create table facility_connections (
  environment text not null,
  facility_id text not null,
  application_id text not null references applications (id) on delete cascade,
  connected_at timestamptz not null default now(),
  primary key (environment, facility_id, application_id),
  foreign key (environment, facility_id) references facilities (environment, id) on delete cascade
);
create index facility_connections_by_application on facility_connections (application_id, environment, facility_id);
