import {
  acceptedCard,
  BEFORE_DELETED,
  BEGUN_CARD,
  CARD,
  CARD_ASKED_FOR,
  CARD_CONSENTED,
  closeDeletion,
  END_CARD,
  ENTERED,
  ENTERED_CARD,
  ENTERED_COLUMNS,
  REVIVED_CARD,
} from '../cards/fragments.ts'
import { CUSTOMER_ID, KNOWN_CUSTOMER, UPSERT_CUSTOMER } from '../customers/fragments.ts'
import { bigint, columns, int, nullable, oneOf, type RowOf, text, texts } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { closeWork, IS_HELD, insertWork, TAKEN_IF_FREE, workOf } from '../jobs/fragments.ts'
import { dueWork } from '../jobs/work.ts'
import { INSERT_RECORD_OF_CARD } from '../vault/fragments.ts'
import { ADMIT_ENROLLMENT, ENROLL_REFUSALS } from './fragments.ts'

// A card that its merchant provisions alone. The row is written before the network is asked, and the work on it is open from
// the first question to the network's word: what a dead process or a silent network leaves is finished by another caller, or
// by a worker. Locks: open work, card.

export const PROVISION_JOB = 'enrollment.provision'
export const cardWork = dueWork('enrollment', 'card', { job: PROVISION_JOB, shape: {} })

/** Makes or finds the customer whose card it is, if it may be enrolled. Or says why not, and leaves no trace. */
export const insertCustomer = one(
  'enrollment.insert_customer',
  `with ${KNOWN_CUSTOMER}, ${ADMIT_ENROLLMENT}, ${UPSERT_CUSTOMER}
   select (select code from refusal) as refusal, case when exists (select 1 from admitted) then ${CUSTOMER_ID} end as customer_id`,
  { refusal: nullable(oneOf(ENROLL_REFUSALS)), customerId: nullable(text) },
)

/** The merchant, while it is active. */
const OPEN = `open as (
     select card_countries, card_issuers from merchants where id = $merchantId and status = 'active'
   )` as const

/**
 * The customer's card of a number, whatever its state, and the vault record of a new one: however many callers ask, one
 * makes it. None: the merchant is not active any more.
 */
export const insertCard = one(
  'enrollment.insert_card',
  `with ${OPEN}, ${ENTERED_CARD}, ${INSERT_RECORD_OF_CARD} select ${ENTERED_COLUMNS}`,
  ENTERED,
)

/** A card of it that was deleted begins anew. None: it has, or the merchant is not active any more. */
export const reviveCard = one(
  'enrollment.revive_card',
  `with ${OPEN}, ${REVIVED_CARD}, ${INSERT_RECORD_OF_CARD} select ${ENTERED_COLUMNS}`,
  ENTERED,
)

export const findCard = one(
  'enrollment.find_card',
  `select ${columns(BEGUN_CARD)}, (select card_countries from merchants where id = $merchantId) as card_countries,
     (select card_issuers from merchants where id = $merchantId) as card_issuers
   from cards where merchant_id = $merchantId and id = $cardId`,
  { ...BEGUN_CARD, cardCountries: nullable(texts), cardIssuers: nullable(texts) },
)

const CLAIM = { merchantId: text, id: text, leaseFence: bigint, attempts: int }
/** Open work on a card, with the fence that its result must carry. */
export type CardWork = RowOf<typeof CLAIM>

/**
 * Takes the work on a card that waits for the network, and opens it if there is none. None: another process holds it, or the
 * card waits no more. It is taken before it is due as well: a caller is waiting.
 */
export const claimCard = one(
  'enrollment.claim_card',
  `with waiting as (
     select id from cards
     where merchant_id = $merchantId and id = $cardId and status = 'provisioning' and vault_record_id is not null
   )
   ${insertWork('card', 'waiting.id', '$at', '1', '$leaseUntil')} from waiting
   ${TAKEN_IF_FREE}
   returning ${columns(CLAIM)}`,
  CLAIM,
)

/** CTE `held`: the work on the card, while the caller holds it. */
const HELD = `held as materialized (
     select id from open_work where ${workOf('card', '$cardId')} and ${IS_HELD}
     for update
   ), closed as (
     ${closeWork('card', 'held')}
   )` as const

/** The network accepted it. The work is over, also where the card became active otherwise. None: the lease was lost. */
export const updateProvisioned = one(
  'enrollment.update_provisioned',
  `with ${HELD}, card as (
     select ${columns(CARD)} from cards
     where merchant_id = $merchantId and id = (select id from held) and enrolment = $enrolment
     for update
   ), ${acceptedCard('null::text[]', 'merchant_id = $merchantId and id = (select id from card)')}, ${closeDeletion('changed')}
   select card.id, coalesce((select status from changed), card.status) as status from card`,
  { id: text, status: text },
)

/**
 * The network refused it: the work is over, and the card ends, with its number; the merchant's own record stays. A card for which
 * a cardholder was sent a code is theirs to go on with.
 */
export const updateRefused = one(
  'enrollment.update_refused',
  `with ${HELD}, ended as (
     select id, vault_record_id from cards
     where merchant_id = $merchantId and id = (select id from held) and enrolment = $enrolment
       and status in (${BEFORE_DELETED}) and not step_up_pending
     for update
   ), ${END_CARD}`,
  { id: text },
)

/** It is being asked for: the day after which a card that was left half entered is ended starts anew. */
export const updateAsked = execute('enrollment.update_asked', CARD_ASKED_FOR)

/** That there is a consent to this enrollment of the card, and since when. */
export const updateConsent = execute('enrollment.update_consent', CARD_CONSENTED)
