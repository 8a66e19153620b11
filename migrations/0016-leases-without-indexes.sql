-- A lease is written into its row and into no index (decision record 99): half of each page is kept free for it, and what is
-- in flight is found among what has been due for longest.
drop index deliveries_in_flight;
alter table deliveries set (fillfactor = 50);

-- Whatever of this webhook has been claimed is due no later than this.
alter table webhook_schedules add column leased_through timestamptz;

-- One after the other, so that what became due in one statement does not all count as claimed with its first.
alter table deliveries alter column due_at set default clock_timestamp();
