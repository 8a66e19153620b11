-- Applications as their teams see them: lists, what a new one gets, and the removal of what was deleted.

-- A team's list is read page by page, newest first.
drop index applications_of_team;
create index applications_of_team on applications (team_id, id) where team_id is not null;
-- What was deleted long enough ago is found without reading the others.
create index applications_deleted on applications (deleted_at) where deleted_at is not null;

-- What was made for an application with it: two facilities and a person of the sandbox (decision E1). They go with it.
create table application_sandboxes (
  application_id text primary key references applications (id) on delete cascade,
  -- Empty when the marketplace deleted them since.
  user_id text unique references users (id) on delete set null,
  facility_ids text[] not null
);

-- Removing an application removes what refers to it: each of these tables would otherwise be read from end to end.
create index application_secrets_of_application on application_secrets (application_id);
create index authorization_codes_by_application on authorization_codes (application_id);
create index refresh_families_by_application on refresh_families (application_id);
create index session_applications_by_application on session_applications (application_id);
