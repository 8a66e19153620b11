-- What support looks up of one account: what was done to it, and which failed attempts count against it.

-- An entry about an account names it; those are few among all there are.
create index audit_log_about_account on audit_log ((after ->> 'account'), id desc) where after ->> 'account' is not null;

-- Counts are looked up by how their key begins, whatever the server's collation is.
create index failure_counts_by_beginning on failure_counts (key text_pattern_ops);
