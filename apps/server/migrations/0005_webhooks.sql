-- What:   webhook endpoints, deliveries, attempts, recoveries, incidents.
-- Why:    merchants are told what happened, and can see what became of each delivery.
-- Impact: new tables; no lock on existing ones, no size.
-- Compatible with the previous release: yes, it does not know the tables.

-- Where a merchant wants its events. What the wire calls its state is derived from these columns.
create table webhook_endpoints (
  merchant_id text not null,
  id text not null,
  -- At most five live endpoints a merchant: each has a place of its own.
  place smallint not null constraint webhook_endpoints_place_check check (place between 1 and 5),
  name text not null,
  url text not null,
  events text[] not null,
  -- The endpoint that stands for the `webhook_url` of the account.
  is_account boolean not null,
  -- Rises when the URL changes and when the service disables the endpoint: what was queued for an earlier one is not sent.
  revision integer not null,
  enabled boolean not null,
  verified_at timestamptz,
  -- Set by the service: the receiver is gone, or its address is one that nothing may be sent to.
  disabled_reason text constraint webhook_endpoints_disabled_reason_check
    check (disabled_reason = any ('{gone,forbidden_address}')),
  -- Unacknowledged attempts in a row.
  failures integer not null,
  -- While set, deliveries rest until then; what follows is one probe.
  circuit_until timestamptz,
  -- Null where the account's own secret signs, and once it is deleted.
  secret_sealed bytea,
  secret_key_id text,
  -- The secret before the last rotation: both sign until then.
  former_secret_sealed bytea,
  former_secret_key_id text,
  former_secret_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint webhook_endpoints_pkey primary key (merchant_id, id),
  constraint webhook_endpoints_secret_check
    check (num_nulls(secret_sealed, secret_key_id) = case when is_account or deleted_at is not null then 2 else 0 end),
  constraint webhook_endpoints_former_check
    check (num_nulls(former_secret_sealed, former_secret_key_id, former_secret_until) in (0, 3))
);
create unique index webhook_endpoints_place_key on webhook_endpoints (merchant_id, place) where deleted_at is null;
create unique index webhook_endpoints_account_key on webhook_endpoints (merchant_id)
  where is_account and deleted_at is null;

-- How fast a merchant is sent to. Its row is locked by every claim of a delivery, so that the limits hold over all workers.
create table webhook_applications (
  merchant_id text not null,
  -- When its last deliveries were claimed, newest first: as many as a second may have.
  last_claims timestamptz[] not null,
  -- The endpoints that a request is on its way to, each with the millisecond at which that is no longer believed: its worker died.
  flights jsonb not null,
  -- The endpoints that found no place among the flights. They are due when one ends.
  waiting text[] not null,
  constraint webhook_applications_pkey primary key (merchant_id)
);

-- One event on its way to one endpoint; a replay is another row. Its id carries its time, and `day` is the day of that time.
create table webhook_deliveries (
  merchant_id text not null,
  id text not null,
  day date not null,
  endpoint_id text not null,
  -- Of the endpoint when it was queued. One that is lower than the endpoint's own is cancelled.
  revision integer not null,
  event_id text not null,
  event_type text not null,
  -- What is sent, where it is not an event of the feed: a test.
  body text,
  -- The delivery that this one sends again; null for the first.
  replay_of text,
  state text not null constraint webhook_deliveries_state_check
    check (state = any ('{queued,delivered,failed,cancelled}')),
  -- When it is sent next.
  send_at timestamptz not null,
  attempts integer not null,
  -- No attempt begins after it.
  window_ends_at timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint webhook_deliveries_pkey primary key (merchant_id, id, day),
  constraint webhook_deliveries_finished_check check ((state = 'queued') = (finished_at is null))
) partition by range (day);
-- A net: the partitions are made ahead.
create table webhook_deliveries_default partition of webhook_deliveries default;
-- The next one of an endpoint, however many there are, and whatever waits to be cancelled beside it.
create index webhook_deliveries_queued_idx on webhook_deliveries (merchant_id, endpoint_id, revision, send_at)
  where state = 'queued';
-- Those whose time is over, also of an endpoint that rests.
create index webhook_deliveries_window_idx on webhook_deliveries (merchant_id, endpoint_id, window_ends_at)
  where state = 'queued';
-- The history of an endpoint, newest first.
create index webhook_deliveries_endpoint_idx on webhook_deliveries (merchant_id, endpoint_id, id);

-- One try of a delivery. Without an end: it is in hand, or its process died.
create table webhook_attempts (
  merchant_id text not null,
  delivery_id text not null,
  -- Of the delivery.
  day date not null,
  number integer not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  http_status integer,
  -- Why it was not acknowledged.
  category text constraint webhook_attempts_category_check
    check (category = any ('{forbidden_url,forbidden_address,dns,connect,connect_timeout,tls,timeout,reset,protocol,aborted,redirect,gone,status}')),
  constraint webhook_attempts_pkey primary key (merchant_id, delivery_id, number, day)
) partition by range (day);
create table webhook_attempts_default partition of webhook_attempts default;

-- An endpoint that is caught up: all events of a time range, each queued once, a page at a time.
create table webhook_recoveries (
  merchant_id text not null,
  id text not null,
  endpoint_id text not null,
  -- Of the endpoint when it was asked for: what is asked for one destination is not sent to another.
  revision integer not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- The event that was looked at last: its time and id.
  after_at timestamptz not null,
  after_id text not null,
  -- The newest position of the feed when it was asked for: what came later is queued anyway.
  last_pos bigint not null,
  queued_count integer not null,
  state text not null constraint webhook_recoveries_state_check check (state = any ('{running,completed,cancelled}')),
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint webhook_recoveries_pkey primary key (merchant_id, id),
  constraint webhook_recoveries_finished_check check ((state = 'running') = (finished_at is null))
);
-- One at a time for an endpoint.
create unique index webhook_recoveries_running_key on webhook_recoveries (merchant_id, endpoint_id)
  where state = 'running';
create index webhook_recoveries_created_at_idx on webhook_recoveries (created_at) where state = 'running';
create index webhook_recoveries_merchant_created_at_idx on webhook_recoveries (merchant_id, created_at)
  where state = 'running';

-- A time in which an endpoint did not get what it should: from its pause or disablement to its recovery.
create table webhook_incidents (
  merchant_id text not null,
  id text not null,
  endpoint_id text not null,
  reason text not null constraint webhook_incidents_reason_check
    check (reason = any ('{circuit_open,gone,forbidden_address}')),
  opened_at timestamptz not null,
  closed_at timestamptz,
  constraint webhook_incidents_pkey primary key (merchant_id, id)
);
-- One open incident an endpoint.
create unique index webhook_incidents_open_key on webhook_incidents (merchant_id, endpoint_id) where closed_at is null;

alter table webhook_endpoints
  add constraint webhook_endpoints_merchant_id_fkey foreign key (merchant_id) references merchants (id),
  add constraint webhook_endpoints_secret_key_id_fkey foreign key (secret_key_id) references key_encryption_keys (id),
  add constraint webhook_endpoints_former_secret_key_id_fkey foreign key (former_secret_key_id)
    references key_encryption_keys (id);
alter table webhook_incidents
  add constraint webhook_incidents_endpoint_id_fkey foreign key (merchant_id, endpoint_id)
    references webhook_endpoints (merchant_id, id);
create index webhook_endpoints_secret_key_id_idx on webhook_endpoints (secret_key_id, merchant_id, id)
  where secret_key_id is not null;
create index webhook_endpoints_former_secret_key_id_idx on webhook_endpoints (former_secret_key_id, merchant_id, id)
  where former_secret_key_id is not null;
-- Former secrets whose time is over are destroyed.
create index webhook_endpoints_former_until_idx on webhook_endpoints (former_secret_until)
  where former_secret_until is not null;
create index webhook_endpoints_merchant_former_until_idx on webhook_endpoints (merchant_id, former_secret_until)
  where former_secret_until is not null;
create index webhook_incidents_endpoint_id_idx on webhook_incidents (merchant_id, endpoint_id, id);
