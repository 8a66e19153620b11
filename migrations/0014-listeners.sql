-- Listeners: a computer of an integrator that nobody can call, and that fetches what the application is sent in the sandbox
-- (decision record 82). A listener is made of webhooks like any other; what waits for them is fetched and never sent.

create table listeners (
  application_id text not null references applications (id) on delete cascade,
  name text not null,
  -- One more with every stream that is opened: only the newest is handed anything.
  stream int not null default 0,
  -- Messages that were ever handed out, which is what their ids count.
  handed_out bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (application_id, name)
);

-- Empty for a webhook that is called. `deliveries.sent` of one that is fetched says that it was handed out before.
alter table webhooks
  add column listener text,
  add constraint webhooks_listener_fkey foreign key (application_id, listener)
    references listeners (application_id, name) on delete cascade,
  add constraint webhooks_listener_check check (listener is null or (environment = 'sandbox' and user_id is null));
create unique index webhooks_of_listener on webhooks (application_id, listener, kind) where listener is not null;
