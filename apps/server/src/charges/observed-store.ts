import { CHARGE_STATUSES, PAYMENT_FAILURE_CODES, REPORTED_OUTCOMES } from '@mintmark/contract'
import { CLOSE_IN_LIMITS, FOLLOW_IN_LIMITS } from '../agents/fragments.ts'
import { releaseCards } from '../cards/fragments.ts'
import { bigint, bool, columns, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { FREE } from '../jobs/due.ts'
import { DUE_EARLIER_AND_FREE, insertWork, putOffWork } from '../jobs/fragments.ts'
import { dueWork } from '../jobs/work.ts'
import { CONSUME_STANDING, FOLLOW_IN_WINDOW } from '../mandates/fragments.ts'
import { FACT_KINDS } from '../network/events-port.ts'
import { originList } from '../platform/states.ts'
import { ERASE_LAPSED, PAID_AS_OBSERVED } from './end-fragments.ts'
import { CONSUMED } from './mandate-fragments.ts'
import { CHARGE_TRANSITIONS } from './states.ts'
import { CHANGED } from './work-fragments.ts'

// What the network tells of payments by itself. Locks are taken as everywhere: a standing mandate, then the charge.
// Behind the lock of the charge its facts are written one after the other, so whoever comes next decides by all of
// them.

export const OBSERVE_JOB = 'charges.observe'

/** Charges of which the network is to be asked what has happened to their payment. */
export const observationWork = dueWork('observations', 'observation', {
  job: OBSERVE_JOB,
  shape: { mandateId: text },
  list: 'charges.mandate_id',
  joins: `join lateral (
     select mandate_id from charges where merchant_id = $merchantId and id = work.id and mandate_id is not null offset 0) charges on true`,
})

/** The merchant of a mandate. The network knows none. */
export const findMerchantOfMandate = one(
  'charges.find_merchant_of_mandate',
  `select merchant_id from mandates where id = $mandateId
   union all select merchant_id from approvals where mandate_id = $mandateId`,
  { merchantId: text },
)

/** There is news of it. A worker that is asking at this moment may have asked too early, and writes nothing. */
export const openObservation = one(
  'charges.open_observation',
  `${insertWork('observation', 'charges.id', '$at', '0', 'null::timestamptz')}
   from charges where merchant_id = $merchantId and id = $chargeId and mandate_id is not null
   ${DUE_EARLIER_AND_FREE}
   returning id`,
  { id: text },
)

/** Asked about again later, though nothing was told of it until then. Zero: there is news, or another holder. */
export const putOffObservation = execute(
  'charges.put_off_observation',
  `${putOffWork('observation', '$id', '$dueAt')} and lease_fence = $leaseFence and lease_until is not null`,
)

/** None: it is that of a purchase, in the row of the charge. */
export const lockStanding = one(
  'charges.lock_observed_mandate',
  'select id from mandates where merchant_id = $merchantId and id = $mandateId for no key update',
  { id: text },
)

const OBSERVED = {
  ...CHANGED,
  status: oneOf(CHARGE_STATUSES),
  failureCode: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  reportedOutcome: nullable(oneOf(REPORTED_OUTCOMES)),
  quoteId: nullable(text),
  customerId: nullable(text),
  agentId: nullable(text),
  createdAt: time,
  windowStartedAt: nullable(time),
  countedMinor: nullable(bigint),
  lapsesAt: nullable(time),
  leaseFence: bigint,
}
export const lockCharge = one(
  'charges.lock_observed',
  `select ${columns(OBSERVED)}, not ${FREE} as is_held from charges
   where merchant_id = $merchantId and id = $chargeId and mandate_id = $mandateId for no key update`,
  { ...OBSERVED, isHeld: bool },
)
export type ObservedCharge = RowOf<typeof OBSERVED> & { isHeld: boolean | null }

/** Each once, by the network's own name of it. Returns those that were not known. */
export const insertFacts = many(
  'charges.insert_facts',
  `insert into network_facts (merchant_id, id, charge_id, kind, amount_minor, currency, merchant_name, occurred_at,
     recorded_at)
   select $merchantId, id, $chargeId, kind, amount_minor, currency, merchant_name, occurred_at, $at
   from unnest($factIds::text[], $kinds::text[], $amounts::bigint[], $currencies::text[], $merchantNames::text[],
     $times::timestamptz[]) fact (id, kind, amount_minor, currency, merchant_name, occurred_at)
   on conflict (merchant_id, id) do nothing
   returning id`,
  { id: text },
)

export const listFacts = many(
  'charges.list_facts',
  `select kind, amount_minor, occurred_at from network_facts where merchant_id = $merchantId and charge_id = $chargeId`,
  { kind: oneOf(FACT_KINDS), amountMinor: bigint, occurredAt: time },
)

const AS_READ = 'merchant_id = $merchantId and id = $chargeId and version = $version' as const
const NEXT = 'counted_minor = $countedMinor, version = version + $told, updated_at = $at' as const

/** What it counts for now, and how many events tell of it. Whoever holds it for its lapse gives it back. */
export const updateCounted = one(
  'charges.update_counted',
  `update charges set ${NEXT}, lease_until = null where ${AS_READ} returning id`,
  { id: text },
)

/** The window of its mandate, behind the lock of both. */
export const followInWindow = execute('charges.follow_in_window', FOLLOW_IN_WINDOW)

/** Where an agent has charged, its owner's limits. */
export const followInLimits = execute('charges.follow_in_limits', FOLLOW_IN_LIMITS)

/**
 * A purchase that was authorized waits for its capture, or its report, however short its credential was to live; the
 * credential is erased, as it was used.
 */
export const updateAwaited = one(
  'charges.update_awaited',
  `update charges set lapses_at = $until, work_due_at = $until, lease_until = null, attempts = 0, credential_sealed = null,
     credential_key_id = null, updated_at = $at
   where merchant_id = $merchantId and id = $chargeId and standing_mandate_id is null and lapses_at < $until
     and status = 'awaiting_result' and reported_outcome is null
   returning id`,
  { id: text },
)

/** A purchase whose time is over, and whose payment is not known yet, shows no credential. */
export const eraseLapsed = execute(
  'charges.erase_lapsed',
  `${ERASE_LAPSED} and status = 'awaiting_result' and standing_mandate_id is null and quote_id is null`,
)

const paid = <const Also extends string>(also: Also) =>
  `changed as (
     update charges set ${PAID_AS_OBSERVED}, paid_minor = $paidMinor, ${NEXT}${also}
     where ${AS_READ} and reported_outcome is null and status in (${originList(CHARGE_TRANSITIONS, 'completed')})
     returning id, agent_id, customer_id
   )` as const
const PAID = paid('')

/** A purchase that no merchant reported was paid: its mandate ends with it. None: it was reported, or ended. */
export const updatePaid = one(
  'charges.update_observed_paid',
  `with ${paid(CONSUMED)}, ${releaseCards('changed', '(select customer_id from changed)')}
   select id from changed`,
  { id: text },
)

/** The same of a charge against a standing mandate, which goes on. */
export const updateStandingPaid = one(
  'charges.update_observed_standing_paid',
  `with ${PAID}, ${CLOSE_IN_LIMITS}
   select id from changed`,
  { id: text },
)

/** The same of the one payment of a mandate, which ends with it. */
export const updateLastPaid = one(
  'charges.update_observed_last_paid',
  `with ${PAID}, ${CLOSE_IN_LIMITS}, ${CONSUME_STANDING}
   select id from changed`,
  { id: text },
)

/** One process asks for the list of news in an interval. None: another one has, or does. */
export const claimRead = one(
  'charges.claim_read',
  `insert into network_reads (name, asked_at, read_until) values ('news', $at, $since)
   on conflict (name) do update set asked_at = excluded.asked_at
   where network_reads.asked_at <= $askedBefore or network_reads.asked_at > excluded.asked_at
   returning read_until`,
  { readUntil: time },
)

/** All that was told until then is open work. It never goes back. */
export const updateRead = execute(
  'charges.update_read',
  `update network_reads set read_until = greatest(read_until, $until) where name = 'news'`,
)
