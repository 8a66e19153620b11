-- The integrators' command line: a login that a browser allows, and the key that it ends in (decision record 83).

-- One run of `handover login`, for ten minutes: until a member of a team has answered it and the command has come for the answer.
create table command_line_logins (
  -- SHA-256 of what the command asks with.
  secret_hash bytea primary key,
  -- What a person compares or types; good for nothing without somebody who is signed in.
  user_code text not null unique,
  -- Where it was started, as it says itself, and from which address.
  name text not null,
  address text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  asked_at timestamptz,
  -- Empty until somebody has answered.
  allowed boolean,
  integrator_id text references integrators (id) on delete cascade,
  team_id text references teams (id) on delete cascade,
  application_id text references applications (id) on delete cascade,
  check (allowed is not true or (integrator_id is not null and team_id is not null and application_id is not null))
);
create index command_line_logins_by_expiry on command_line_logins (expires_at);
create index command_line_logins_by_integrator on command_line_logins (integrator_id) where integrator_id is not null;
create index command_line_logins_by_team on command_line_logins (team_id) where team_id is not null;
create index command_line_logins_by_application on command_line_logins (application_id) where application_id is not null;

-- What a command gets access tokens of the sandbox with. One that is revoked or has expired is deleted.
create table command_line_keys (
  -- Its tokens carry this id as that of their grant.
  id text primary key,
  application_id text not null references applications (id) on delete cascade,
  integrator_id text not null references integrators (id) on delete cascade,
  key_hash bytea not null unique,
  name text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz
);
create index command_line_keys_of_application on command_line_keys (application_id, id);
create index command_line_keys_of_integrator on command_line_keys (integrator_id);
create index command_line_keys_by_expiry on command_line_keys (expires_at);

-- However a key goes, the tokens that came of it are refused by every process within a second. They live an hour.
create function announce_command_line_key() returns trigger language plpgsql as $$
begin
  insert into announcements (topic, key, issued_before, expires_at)
  values ('revocation', 'grant ' || old.id, clock_timestamp(), clock_timestamp() + interval '2 hours');
  return null;
end $$;
create trigger command_line_keys_announced after delete on command_line_keys
  for each row execute function announce_command_line_key();

-- Whoever leaves a team, or may only read there from now on, leaves no key behind, whichever way it comes about.
create function end_command_line_keys_of_member() returns trigger language plpgsql as $$
begin
  delete from command_line_keys using applications
  where applications.id = command_line_keys.application_id and applications.team_id = old.team_id
    and command_line_keys.integrator_id = old.integrator_id;
  return null;
end $$;
create trigger team_members_end_keys after delete on team_members
  for each row execute function end_command_line_keys_of_member();
create trigger team_members_end_keys_of_readers after update of role on team_members
  for each row when (new.role = 'read-only') execute function end_command_line_keys_of_member();

-- A new password ends what the old one opened (decision B22): keys too.
create function end_command_line_keys_of_integrator() returns trigger language plpgsql as $$
begin
  delete from command_line_keys where integrator_id = old.id;
  return null;
end $$;
create trigger integrators_end_keys after update of password_hash on integrators
  for each row when (old.password_hash is distinct from new.password_hash)
  execute function end_command_line_keys_of_integrator();
