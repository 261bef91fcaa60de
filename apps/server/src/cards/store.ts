import { type Queryable, row, rows, statement } from '../db/statement.ts'
import type { Tx } from '../db/transaction.ts'

export interface CardRow {
  merchant_id: string
  id: string
  customer_id: string
  vault_record_id: string | null
  last4: string
  brand: string | null
  exp_month: number
  exp_year: number
  status: 'provisioning' | 'active' | 'deleted'
  network_token_ref: string | null
  step_up_pending: boolean
}

const COLUMNS = `merchant_id, id, customer_id, vault_record_id, last4, brand, exp_month, exp_year, status,
  network_token_ref, step_up_pending`

const find = statement<CardRow>(
  'cards.find',
  `select ${COLUMNS} from cards where merchant_id = $1 and customer_id = $2 and id = $3`,
)

/** A card of this customer, in any status. */
export async function findCard(on: Queryable, merchantId: string, customerId: string, cardId: string) {
  return row(on, find, [merchantId, customerId, cardId])
}

const listActive = statement<CardRow>(
  'cards.list_active',
  `select ${COLUMNS} from cards where merchant_id = $1 and customer_id = $2 and status = 'active'
   order by is_default desc, created_at desc, id limit 50`,
)

/** The customer's usable cards, default first, then newest. */
export async function listActiveCards(on: Queryable, merchantId: string, customerId: string) {
  return rows(on, listActive, [merchantId, customerId])
}

const insertLive = statement<CardRow>(
  'cards.insert_live',
  `insert into cards (merchant_id, id, customer_id, vault_record_id, fingerprint, last4, brand, exp_month, exp_year,
     status, step_up_pending, is_default, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'provisioning', false, false, $10, $10)
   on conflict (merchant_id, customer_id, fingerprint) where status <> 'deleted' do nothing
   returning ${COLUMNS}`,
)

export interface NewCard {
  merchantId: string
  id: string
  customerId: string
  vaultRecordId: string
  fingerprint: Buffer
  last4: string
  brand: string | null
  expMonth: number
  expYear: number
  at: Date
}

/** Undefined when the customer already has this number live: of two tabs that enter it at once one inserts. */
export async function insertLiveCard(tx: Tx, card: NewCard) {
  return row(tx, insertLive, [
    card.merchantId,
    card.id,
    card.customerId,
    card.vaultRecordId,
    card.fingerprint,
    card.last4,
    card.brand,
    card.expMonth,
    card.expYear,
    card.at,
  ])
}

const lockLive = statement<CardRow>(
  'cards.lock_live',
  `select ${COLUMNS} from cards
   where merchant_id = $1 and customer_id = $2 and fingerprint = $3 and status <> 'deleted' for update`,
)

/** The customer's live card of this number, locked until the transaction ends. */
export async function lockLiveCard(tx: Tx, merchantId: string, customerId: string, fingerprint: Buffer) {
  return row(tx, lockLive, [merchantId, customerId, fingerprint])
}

const restart = statement<CardRow>(
  'cards.restart',
  `update cards set exp_month = $3, exp_year = $4, updated_at = $5
   where merchant_id = $1 and id = $2 and status <> 'deleted' returning ${COLUMNS}`,
)

/** The same number entered again, perhaps with the expiry of a renewed card. */
export async function restartCard(
  tx: Tx,
  merchantId: string,
  cardId: string,
  expMonth: number,
  expYear: number,
  at: Date,
) {
  return row(tx, restart, [merchantId, cardId, expMonth, expYear, at])
}

const awaitStepUp = statement<CardRow>(
  'cards.await_step_up',
  `update cards set step_up_pending = true, updated_at = $3
   where merchant_id = $1 and id = $2 and status = 'provisioning' returning ${COLUMNS}`,
)

export async function awaitCardStepUp(on: Queryable, merchantId: string, cardId: string, at: Date) {
  return row(on, awaitStepUp, [merchantId, cardId, at])
}

const activate = statement<CardRow>(
  'cards.activate',
  // The first card a customer enrols becomes the default one.
  `update cards set status = 'active', network_token_ref = $3, step_up_pending = false, updated_at = $4,
     is_default = is_default or not exists (
       select from cards other where other.merchant_id = $1 and other.customer_id = cards.customer_id
         and other.status = 'active' and other.is_default)
   where merchant_id = $1 and id = $2 and status <> 'deleted' returning ${COLUMNS}`,
)

/** Idempotent: a second confirmation of the same provisioning changes nothing. */
export async function activateCard(on: Queryable, merchantId: string, cardId: string, tokenRef: string, at: Date) {
  return row(on, activate, [merchantId, cardId, tokenRef, at])
}

const refuse = statement<{ vault_record_id: string | null }>(
  'cards.refuse',
  `with refused as (
     select merchant_id, id, vault_record_id from cards
     where merchant_id = $1 and id = $2 and status = 'provisioning' for update)
   update cards set status = 'deleted', vault_record_id = null, step_up_pending = false, updated_at = $3
   from refused where cards.merchant_id = refused.merchant_id and cards.id = refused.id
   returning refused.vault_record_id`,
)

/** Ends a card the network never accepted; answers the vault record it pointed to, which nobody needs any more. */
export async function refuseCard(tx: Tx, merchantId: string, cardId: string, at: Date) {
  return row(tx, refuse, [merchantId, cardId, at])
}

const lockAbandoned = statement<{ merchant_id: string; id: string }>(
  'cards.lock_abandoned',
  `select merchant_id, id from cards where status = 'provisioning' and updated_at < $1
   order by updated_at limit $2 for update skip locked`,
)

/** Cards somebody began to enter and left; locked, so that several sweepers share the work. Operator's statement. */
export async function lockAbandonedCards(tx: Tx, before: Date, limit: number) {
  return rows(tx, lockAbandoned, [before, limit])
}

const preselectedBy = statement<{ session_id: string }>(
  'cards.preselected_by',
  'select id as session_id from sessions where merchant_id = $1 and preselected_vault_record_id = $2 limit 1',
)

/** True when a merchant's session points at the vault record, so that it is not ours alone to shred. */
export async function isPreselected(tx: Tx, merchantId: string, vaultRecordId: string): Promise<boolean> {
  return (await row(tx, preselectedBy, [merchantId, vaultRecordId])) !== undefined
}
