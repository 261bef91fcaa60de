-- What:   seals of allowed origins, webhook endpoints and contacts.
-- Why:    an edit by SQL decided which pages may frame the page, where events are sent, and who is written to.
-- Impact: three columns without a value: no row is rewritten.
-- Compatible with the previous release: it writes no seals, and what it writes is refused by this one until it is said again.

-- What was written before has none, and is refused as an edited row is, until who may say so says it again (docs/adr). That it
-- is sealed here, or by the next start, would seal whatever an editor had written by then.

alter table merchants add column origins_seal bytea;
-- Null once it is deleted: a row that is brought back is no endpoint.
alter table webhook_endpoints add column seal bytea;
alter table contacts add column seal bytea;
