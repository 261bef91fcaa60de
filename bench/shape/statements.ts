// Every statement that a payment, a charge and a report need, each by the key of its row. A step is one UPDATE
// whose predicate holds state, time, tries and whose it is, and at most one INSERT for what begins to exist. No row:
// something of it does not hold, and the caller reads why.

const UNAWAITED = `set_config('synchronous_commit', 'off', true) is not null`
const ACTIVE = `exists (select 1 from merchants where id = $1 and status = 'active')`
const SESSION = 'charges.merchant_id = $1 and charges.session_id = $2'
const OPEN = `${SESSION} and charges.status = 'open' and charges.expires_at > $3`
const HELD = 'merchant_id = $1 and id = $2 and lease_fence = $3 and lease_until is not null'

const EVENT = `insert into captured_events (merchant_id, id, type, resource_type, resource_id, resource_version, schema_version,
      environment, data, occurred_at)`

const GRANT = {
  create: `with account as (
      select 1 as one from merchants
      where id = $1 and status = 'active' and network_profile is not null and sessions_left is null
    ), known as (
      select id, email = $5 as as_given from customers where merchant_id = $1 and external_user_id = $4
    ), added as (
      insert into customers (merchant_id, id, external_user_id, email, created_at, updated_at)
      select $1, $6, $4, $5, $7, $7 from account where not exists (select 1 from known where as_given)
      on conflict (merchant_id, external_user_id) do update set email = excluded.email, updated_at = excluded.updated_at
      returning id
    )
    insert into charges (merchant_id, id, session_id, customer_id, status, amount_minor, currency, payee_url, details, launch_hash,
      expires_at, work_due_at, created_at, updated_at)
    select $1, $2, $3, coalesce((select id from known), (select id from added)), 'open', $9, $10, $11, $12, $13, $8, $8, $7, $7
    from account returning customer_id`,
  launched: `select c.id, c.customer_id, c.status, c.details, c.launch_hash, c.expires_at, m.status, m.allowed_origins,
      exists (select 1 from cards where merchant_id = $1 and customer_id = c.customer_id and status = 'active')
    from charges c join merchants m on m.id = $1 where c.merchant_id = $1 and c.session_id = $2`,
  saved: `select id, last4, brand, exp_month, exp_year, network_token_ref, seal, is_default from cards
    where merchant_id = $1 and customer_id = $2 and status = 'active' and (once_sessions is null or $3 = any (once_sessions))
      and passkey_id = (select id from passkeys where merchant_id = $1 and customer_id = $2 and retired_at is null)
    order by is_default desc, created_at desc, id limit 50`,
}

const CARD = {
  enter: `with gate as (
      update charges set tries = tries + 1, updated_at = $3 where ${OPEN} and tries < 20 and ${ACTIVE} returning customer_id, expires_at
    )
    insert into cards (merchant_id, id, customer_id, fingerprint, entry_seal, number_sealed, number_key_id, last4, brand, exp_month,
      exp_year, status, created_at, updated_at, work_due_at)
    select $1, $4, customer_id, $5, $6, $7, $8, $9, $10, $11, $12, 'provisioning', $3, $3, expires_at from gate
    on conflict (merchant_id, customer_id, fingerprint) do update set entry_number = cards.entry_number + 1,
      status = case cards.status when 'deleted' then 'provisioning' else cards.status end
    returning id, customer_id, status, entry_number`,
  accept: `with card as (
      update cards set status = 'active', network_token_ref = $6, seal = $7, exp_month = $8, exp_year = $9, design = $10,
        accepted_at = $3, updated_at = $3, work_due_at = null, is_default = is_default or not exists (select 1 from cards other
          where other.merchant_id = $1 and other.customer_id = cards.customer_id and other.is_default and other.status = 'active')
      where merchant_id = $1 and id = $4 and entry_number = $5 and status <> 'deleted' and ending_reason is null
      returning id, last4, brand
    )
    update charges set card_id = card.id, proven_card_id = card.id, proof = 'entered', proof_seal = $11, updated_at = $3
    from card where ${OPEN} returning details, amount_minor, currency, card.last4, card.brand`,
}

const PASSKEY = {
  challenge: `update charges set ceremony = 'registration', challenge = $4, challenge_expires_at = $5
    where ${OPEN} and proven_card_id is not null and ${UNAWAITED}
    returning (select external_user_id from customers where merchant_id = $1 and id = charges.customer_id)`,
  claim: `with claimed as (
      update charges set challenge = null, tries = tries + 1
      where ${OPEN} and ceremony = $4 and challenge = $5 and challenge_expires_at > $3 and tries < 20 and ${UNAWAITED}
      returning id, customer_id, details, amount_minor, currency, agreed, nonce, card_id, proof_seal
    )
    select c.*, k.network_token_ref, k.last4, k.seal, p.id, p.public_key, p.sign_count, p.seal, m.status, m.allowed_origins
    from claimed c join merchants m on m.id = $1 join cards k on k.merchant_id = $1 and k.id = c.card_id
    left join passkeys p on p.merchant_id = $1 and p.customer_id = c.customer_id and p.retired_at is null`,
  register: `with kept as (
      insert into passkeys (merchant_id, id, customer_id, public_key, sign_count, transports, backup_eligible, backed_up, seal, created_at)
      select $1, $4, customer_id, $5, $6, $7, true, $8, $9, $3 from charges where ${OPEN} and proven_card_id is not null
      on conflict (merchant_id, customer_id) where retired_at is null do nothing
      returning customer_id
    )
    update charges set ceremony = 'assertion', challenge = $10, agreed = $11, nonce = $12, challenge_expires_at = $13, updated_at = $3
    from kept where ${OPEN} returning details`,
}

/**
 * All or nothing: evidence without its passkey or its card breaks a NOT NULL, and then nothing of the statement is
 * kept.
 */
const APPROVED = `status = 'minting', closed_at = $3, approved_at = $3, mandate_id = $10, seal = $11, work_due_at = $12,
        lease_until = $12, lease_fence = lease_fence + 1, attempts = 1, updated_at = $3`
const USED = `sign_count = $7, backed_up = $8, last_used_at = $3`
const UNUSED = 'flagged_at is null and retired_at is null and (sign_count < $7 or (sign_count = 0 and $7 = 0))'
const EVIDENCE = `insert into approvals (merchant_id, subject_type, subject_id, mandate_id, customer_id, passkey_id, token_ref, terms, nonce,
      client_data_json, authenticator_data, signature, approved_at)`

const approve = (work: string) => `with charge as (
      update charges set ${APPROVED} where ${OPEN} and card_id = $4 and ${ACTIVE}
      returning id, customer_id, agreed, nonce, proven_card_id, lease_fence
    ), used as (
      update passkeys set ${USED} from charge
      where merchant_id = $1 and passkeys.id = $6 and passkeys.customer_id = charge.customer_id and ${UNUSED}
      returning passkeys.id
    ), card as (
      update cards set passkey_id = $6, passkey_seal = $9 from charge
      where merchant_id = $1 and cards.id = $4 and status = 'active' and seal = $5 and (proven_card_id = $4 or passkey_id = $6)
      returning network_token_ref
    )${work}
    ${EVIDENCE}
    select $1, 'session', $2, $10, customer_id, (select id from used), (select network_token_ref from card), agreed, nonce, $13, $14, $15, $3
    from charge returning (select lease_fence from charge)`

const APPROVAL = {
  approve: approve(''),
  // The same as four statements that are sent together, and committed when each has said that it changed its row.
  approveCharge: `update charges set status = 'minting', closed_at = $3, approved_at = $3, mandate_id = $5, seal = $6, work_due_at = $7,
      lease_until = $7, lease_fence = lease_fence + 1, attempts = 1, updated_at = $3
    where ${OPEN} and card_id = $4 and ${ACTIVE} returning lease_fence`,
  usePasskey: `update passkeys set sign_count = $4, backed_up = $5, last_used_at = $3
    where merchant_id = $1 and id = $2 and flagged_at is null and retired_at is null and (sign_count < $4 or (sign_count = 0 and $4 = 0))
    returning id`,
  giveCard: `update cards set passkey_id = $3, passkey_seal = $4
    where merchant_id = $1 and id = $2 and status = 'active' and seal = $5 returning id`,
  keepEvidence: `${EVIDENCE} values ($1, 'session', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning subject_id`,
}

/** The life of a charge, whatever permits it. */
const LIFE = {
  minted: `with charge as (
      update charges set status = 'awaiting_result', credential_sealed = $4, credential_key_id = $5, lapses_at = $6,
        instruction_ref = coalesce($7, instruction_ref), lease_until = null, attempts = 0, version = $11, updated_at = $8
      where ${HELD} and status = 'minting' returning id
    )
    ${EVENT} select $1, $9, $10, 'charge', id, $11, '1', 'sandbox', $12, $8 from charge returning resource_id`,
  read: `select id, status, details, amount_minor, currency, credential_sealed, credential_key_id, seal, reported_outcome, failure_code,
      card_id, mandate_id, payee_url, expires_at, lapses_at
    from charges where merchant_id = $1 and session_id = $2`,
  report: `update charges set reported_outcome = $5, report = $6, reported_at = $4, credential_sealed = null, credential_key_id = null,
      lease_until = $7, lease_fence = lease_fence + 1, attempts = attempts + 1, work_due_at = least(work_due_at, $7), updated_at = $4
    where ${SESSION} and id = $3 and status = 'awaiting_result' and reported_outcome is null and lapses_at > $4
      and (lease_until is null or lease_until <= $4)
    returning id, lease_fence, version, details, amount_minor, currency, mandate_id, seal, instruction_ref`,
  paid: `with charge as (
      update charges set status = 'completed', network_confirmation = $4, work_due_at = null, lease_until = null, version = $8,
        updated_at = $5
      where ${HELD} and status = 'awaiting_result' returning id
    )
    ${EVENT} select $1, $6, $7, 'charge', id, $8, '1', 'sandbox', $9, $5 from charge returning resource_id`,
}

const STANDING = {
  open: `with mandate as (
      update mandates set charge_count = charge_count + 1, window_spent_minor = window_spent_minor + $5, updated_at = $4
      where merchant_id = $1 and id = $2 and status = 'active' and valid_until > $4
        and coalesce(window_ends_at > $4, true) and coalesce(charge_count < max_charges, true)
        and window_spent_minor + $5 <= approved_minor and currency <> all ($11) and ${ACTIVE}
        and not exists (select 1 from charges where merchant_id = $1 and standing_mandate_id = $2
          and reference = $6 and holds_reference)
      returning id, customer_id, card_id, currency, payee_url, details, window_started_at, approved_minor, instruction_ref, seal
    ), charge as (
      insert into charges (merchant_id, id, customer_id, status, amount_minor, currency, payee_url, details, card_id, mandate_id,
        standing_mandate_id, reference, holds_reference, window_started_at, life_minutes, instruction_ref, seal, work_due_at, lease_until,
        attempts, created_at, updated_at)
      select $1, $3, customer_id, 'minting', $5, currency, payee_url, coalesce($9, details), card_id, id, id, $6, true, window_started_at, $10,
        instruction_ref, $7, $8, $8, 1, $4, $4 from mandate
      returning id
    )
    select m.approved_minor, m.seal, m.currency, m.instruction_ref, k.network_token_ref, k.seal
    from mandate m join cards k on k.merchant_id = $1 and k.id = m.card_id cross join charge`,
}

/** Lists look at what is written once, and take what changes from the charges themselves. */
const LISTS = {
  mandatesOfCustomer: `select a.mandate_id, c.status, c.amount_minor, c.currency, c.details, a.approved_at, c.expires_at
    from approvals a join charges c on c.merchant_id = $1 and c.session_id = a.subject_id
    where a.merchant_id = $1 and a.customer_id = $2 and a.mandate_id < $3 order by a.mandate_id desc limit $4`,
  due: `select id, status, lapses_at, lease_until from charges
    where merchant_id = $1 and work_due_at <= $2 and (lease_until is null or lease_until <= $2) order by work_due_at limit $3`,
  defer: `update charges set work_due_at = lapses_at
    where merchant_id = $1 and id = any ($2) and status = 'awaiting_result' and reported_outcome is null`,
}

export const NUMBER = {
  head: `insert into event_heads values ($1, 0) on conflict (merchant_id) do update set feed_pos = event_heads.feed_pos
    returning feed_pos`,
  number: `with taken as (
      delete from captured_events where merchant_id = $1 and id = any (array(
        select id from captured_events where merchant_id = $1 and parked is null order by id limit 200))
      returning *
    )
    insert into events select $1, $2 + row_number() over (order by id), id, type, resource_type, resource_id, resource_version,
      schema_version, environment, data, occurred_at from taken`,
  advance: `update event_heads set feed_pos = (select coalesce(max(feed_pos), 0) from events where merchant_id = $1) where merchant_id = $1`,
}

export const STATEMENTS = {
  ...GRANT,
  ...CARD,
  ...PASSKEY,
  ...APPROVAL,
  ...LIFE,
  ...STANDING,
  ...LISTS,
}
export type Statements = Record<keyof typeof STATEMENTS, string>

/** With the work in a table of its own, as it is today: made by the approval, moved twice, and deleted at the end. */
export const WITH_WORK_TABLE: Partial<Statements> = {
  create: GRANT.create.replace(/expires_at, work_due_at/, 'expires_at').replace('$13, $8, $8, $7', '$13, $8, $7'),
  approve: approve(`, work as (
      insert into open_work select $1, 'charge', id, $12, 1, $12, lease_fence from charge
    )`).replace('work_due_at = $12,\n        ', ''),
  minted: LIFE.minted.replace(
    'returning id\n    )',
    `returning id
    ), work as (
      update open_work set due_at = $6, lease_until = null, attempts = 0 where merchant_id = $1 and kind = 'charge' and id = (select id from charge)
    )`,
  ),
  report: `with charge as (
      ${LIFE.report.replace('work_due_at = least(work_due_at, $7), ', '')}
    ), work as (
      update open_work set due_at = $4, lease_until = $7, lease_fence = lease_fence + 1, attempts = 1
      where merchant_id = $1 and kind = 'charge' and id = (select id from charge)
    )
    select * from charge`,
  paid: LIFE.paid.replace('work_due_at = null, ', '').replace(
    'returning id\n    )',
    `returning id
    ), work as (delete from open_work where merchant_id = $1 and kind = 'charge' and id = (select id from charge))`,
  ),
  open: STANDING.open
    .replace('seal, work_due_at, lease', 'seal, lease')
    .replace('$7, $8, $8, 1,', '$7, $8, 1,')
    .replace(
      '\n    select m.approved_minor',
      `, work as (insert into open_work select $1, 'charge', id, $8, 1, $8, 1 from charge)
    select m.approved_minor`,
    ),
}
