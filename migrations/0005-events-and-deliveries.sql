-- Events, their deliveries to webhooks, and when each webhook has work. What is finished leaves the queue for tables by day,
-- which are dropped whole when their 30 days are over (decision D10).

-- An id in the shape of decision A6, for rows that are made by a statement.
create function new_id(prefix text) returns text language sql volatile parallel safe as $$
  select prefix || '_' || lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
    || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14)
$$;

-- An event's id is good once for as long as the event is kept (decision D1). Not by day: uniqueness holds over all of them.
create table event_ids (
  environment text not null,
  id text not null,
  body_hash bytea not null,
  day date not null,
  primary key (environment, id)
);
create index event_ids_by_day on event_ids (day);

create table events (
  day date not null,
  environment text not null,
  id text not null,
  type text not null,
  facility_id text,
  user_id text,
  -- The very bytes that are sent, at every attempt the same (decision D3).
  body text not null,
  created_at timestamptz not null default now(),
  primary key (day, environment, id)
) partition by range (day);

-- The queue: what is still to be sent. Small, however many deliveries there ever were.
create table deliveries (
  id text primary key,
  webhook_id text not null,
  environment text not null,
  -- Of its event.
  day date not null,
  event_id text not null,
  event_type text not null,
  -- Made for this webhook alone: a test is sent whatever the webhook subscribes to.
  directed boolean not null default false,
  -- A resend by hand: one attempt, beside the finished delivery of the same id.
  manual boolean not null default false,
  -- `held` stays until somebody asks for it; what waits for a disabled webhook is pending and merely not due.
  state text not null default 'pending' check (state in ('pending', 'held')),
  -- While somebody sends it: when their lease ends, so that what they never settle becomes due by itself.
  due_at timestamptz not null default now(),
  leased_until timestamptz,
  -- The request has left; until then deleting or disabling the webhook waits (decision D8).
  sent boolean not null default false,
  -- Drawn anew with every lease: who holds an older one can settle nothing (decision D9).
  fence int not null default 0,
  -- Attempts of the retry schedule, and attempts ever made.
  tries int not null default 0,
  attempts int not null default 0,
  created_at timestamptz not null default now()
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1);
create index deliveries_due on deliveries (webhook_id, due_at) where state = 'pending';
create index deliveries_in_flight on deliveries (webhook_id) where leased_until is not null;
create index deliveries_of_webhook on deliveries (webhook_id, id);

create table finished_deliveries (
  day date not null,
  id text not null,
  webhook_id text not null,
  environment text not null,
  event_id text not null,
  event_type text not null,
  directed boolean not null,
  state text not null check (state in ('delivered', 'failed', 'cancelled')),
  because text,
  attempts int not null,
  created_at timestamptz not null,
  finished_at timestamptz not null default now(),
  primary key (day, id)
) partition by range (day);
create index finished_deliveries_of_webhook on finished_deliveries (webhook_id, id);

create table attempts (
  day date not null,
  delivery_id text not null,
  number int not null,
  started_at timestamptz not null,
  manual boolean not null,
  url text not null,
  status int,
  -- Which stage failed when there is no status.
  error text,
  message text,
  duration_ms int not null,
  response_head text,
  response_body bytea,
  primary key (day, delivery_id, number)
) partition by range (day);

-- Days ahead are made long before they are needed; whoever starts or works makes sure of it.
create function ensure_delivery_days(ahead int) returns void language plpgsql as $$
declare
  noun text;
  d date;
begin
  perform pg_advisory_xact_lock(hashtextextended('delivery days', 0));
  foreach noun in array array['events', 'finished_deliveries', 'attempts'] loop
    for d in select generate_series((now() at time zone 'utc')::date - 1, (now() at time zone 'utc')::date + ahead, '1 day')::date loop
      if to_regclass(format('%I', noun || to_char(d, '_YYYYMMDD'))) is null then
        execute format('create table %I (like %I including defaults including constraints)', noun || to_char(d, '_YYYYMMDD'), noun);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
          noun, noun || to_char(d, '_YYYYMMDD'), d, d + 1);
      end if;
    end loop;
  end loop;
end $$;
select ensure_delivery_days(7);

-- When a webhook has work, and how it fares. A row of its own, so that nobody who reads a webhook waits for a worker.
create table webhook_schedules (
  webhook_id text primary key references webhooks (id) on delete cascade,
  due_at timestamptz not null default 'infinity',
  -- As many as allowed are in flight: the next one that is settled makes it due.
  capped boolean not null default false,
  per_second int not null default 50 check (per_second > 0),
  at_once int not null default 10 check (at_once > 0),
  level double precision not null default 1,
  level_at timestamptz not null default now(),
  -- What a receiver asked for by Retry-After.
  not_before timestamptz,
  consecutive_failures int not null default 0,
  -- When an open circuit lets the next one through.
  probe_at timestamptz,
  failing_since timestamptz,
  failures int not null default 0,
  -- Percent of the time until it is disabled that its owner was warned of.
  warned int not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create index webhook_schedules_due on webhook_schedules (due_at) where due_at < 'infinity' and consecutive_failures = 0;
create index webhook_schedules_failing_due on webhook_schedules (due_at) where due_at < 'infinity' and consecutive_failures > 0;
create index webhook_schedules_failing on webhook_schedules (failing_since) where failing_since is not null;
insert into webhook_schedules (webhook_id) select id from webhooks;

-- Webhooks that were deleted while deliveries waited for them; those are settled in small steps.
create table departed_webhooks (
  webhook_id text primary key,
  departed_at timestamptz not null default now()
);
create function note_departed_webhook() returns trigger language plpgsql as $$
begin
  insert into departed_webhooks (webhook_id) values (old.id) on conflict do nothing;
  return null;
end $$;
create trigger webhooks_departed after delete on webhooks for each row execute function note_departed_webhook();

-- An application that works again has its webhooks looked at again.
create function wake_application_webhooks() returns trigger language plpgsql as $$
begin
  update webhook_schedules set due_at = now()
  where webhook_id in (select id from webhooks where application_id = new.id order by id);
  return null;
end $$;
create trigger applications_wake_webhooks after update of suspended_at, deleted_at on applications
  for each row when (new.suspended_at is null and new.deleted_at is null
    and (old.suspended_at is not null or old.deleted_at is not null))
  execute function wake_application_webhooks();

-- Finished deliveries that are sent again, at the webhook's rate, with full retries (decision D9).
create table replays (
  id text primary key,
  webhook_id text not null references webhooks (id) on delete cascade,
  created_from timestamptz not null,
  created_until timestamptz not null,
  states text[] not null,
  total int not null,
  queued int not null default 0,
  -- The last delivery that was taken up; the next step goes on behind it.
  cursor text not null default '',
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  cancelled_at timestamptz
);
create index replays_of_webhook on replays (webhook_id, id);
create index replays_running on replays (id) where finished_at is null;
