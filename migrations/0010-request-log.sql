-- What applications asked of the identity server and of the public API, and why it was refused: for their team, and for support
-- by the request id. A table for each day, dropped whole after a week. Rows are only ever added, many at once, and there are no
-- foreign keys: what happened stays readable when the application is gone.
create table request_log (
  -- The day it was written, by the database's clock, so that there is always a table for it.
  day date not null,
  -- Sorts by time, so it is the cursor too.
  id text not null,
  at timestamptz not null,
  request_id text not null,
  -- Whose the application was then; none for one without a team.
  team_id text,
  application_id text not null,
  environment text check (environment in ('production', 'sandbox')),
  method text not null,
  -- As the router writes it, so that nothing of what was sent is in it.
  path text not null,
  -- The grant type, the response type, or the operation of the API.
  operation text,
  status int not null,
  -- The code that was answered; null for what was not refused.
  error text,
  -- Why, more precisely than strangers are told.
  reason text,
  -- The same for all that was refused for the same reason.
  cause text,
  facts jsonb not null,
  duration_ms int not null,
  -- The client's network, never its whole address.
  network text not null,
  -- How many like it were not kept since the one before, because there were too many.
  left_out int not null,
  primary key (day, id)
) partition by range (day);

-- The environment stands behind the id: to leave rows out by it needs no look at the rows.
create index request_log_of_team on request_log (team_id, id desc, environment);
create index request_log_refused_of_team on request_log (team_id, id desc, environment) where cause is not null;
create index request_log_of_application on request_log (application_id, id desc, environment);
create index request_log_refused_of_application on request_log (application_id, id desc, environment) where cause is not null;
create index request_log_by_cause on request_log (team_id, cause, id desc, environment) where cause is not null;
create index request_log_by_request on request_log (request_id);

-- As ensure_delivery_days: whoever starts or works makes sure of the days to come.
create function ensure_request_days(ahead int) returns void language plpgsql as $$
declare
  d date;
  named text;
begin
  perform pg_advisory_xact_lock(hashtextextended('request days', 0));
  for d in select generate_series((now() at time zone 'utc')::date - 1, (now() at time zone 'utc')::date + ahead, '1 day')::date loop
    named := 'request_log' || to_char(d, '_YYYYMMDD');
    if to_regclass(format('%I', named)) is null then
      execute format('create table %I (like request_log including defaults including constraints)', named);
      execute format('alter table request_log attach partition %I for values from (%L) to (%L)', named, d, d + 1);
    end if;
  end loop;
end $$;
select ensure_request_days(7);
