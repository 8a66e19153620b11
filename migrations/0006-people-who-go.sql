-- Deleting a person removes what refers to them, row by row: each of these tables would otherwise be read from end to end
-- for every one of up to 500 people.
create index authorization_codes_by_user on authorization_codes (user_id);
create index refresh_families_of_user on refresh_families (user_id);
create index sessions_by_user on sessions (user_id);
create index interactions_by_pending_user on interactions (pending_user_id) where pending_user_id is not null;
