-- Everybody who locks several schedules does so in the order of their webhooks. When an application worked again, its
-- webhooks were woken in any order, and events that came in for them at that moment could end either of the two by a deadlock.
create or replace function wake_application_webhooks() returns trigger language plpgsql as $$
begin
  perform from webhook_schedules
  where webhook_id in (select id from webhooks where application_id = new.id)
  order by webhook_id for update;
  update webhook_schedules set due_at = now()
  where webhook_id in (select id from webhooks where application_id = new.id);
  return null;
end $$;
