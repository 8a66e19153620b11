-- What integrators ask support for: a setting that only support may change (decision B7), and what became of it.

create table support_requests (
  -- Sorts by time, so it is the cursor too.
  id text primary key,
  application_id text not null references applications (id) on delete cascade,
  team_id text not null references teams (id) on delete cascade,
  -- Null when the account is gone.
  asked_by text references integrators (id) on delete set null,
  -- One of the program's list: a setting that is new there needs nothing here.
  setting text not null,
  -- The application's fields as they should be.
  wanted jsonb not null,
  reason text not null,
  state text not null default 'open' check (state in ('open', 'approved', 'denied', 'withdrawn')),
  -- What support wrote, and who it was, as they were called then.
  answer text,
  answered_by text,
  answered_at timestamptz,
  created_at timestamptz not null default now(),
  check ((state = 'open') = (answered_at is null))
);
-- Of two that ask for the same at one moment, one does.
create unique index support_requests_open_once on support_requests (application_id, setting) where state = 'open';
create index support_requests_queue on support_requests (state, id);
create index support_requests_of_application on support_requests (application_id, id desc);
create index support_requests_of_team on support_requests (team_id);
create index support_requests_by_asker on support_requests (asked_by) where asked_by is not null;
