import { count, type Queryable, row, rows, statement } from '../db/statement.ts'
import type { Tx } from '../db/transaction.ts'

export interface PasskeyRow {
  id: string
  public_key: Buffer
  sign_count: bigint
  transports: string[]
  backup_eligible: boolean
  flagged_at: Date | null
}

const COLUMNS = 'id, public_key, sign_count, transports, backup_eligible, flagged_at'

interface Owner {
  merchantId: string
  customerId: string
}

const list = statement<PasskeyRow>(
  'passkeys.list',
  `select ${COLUMNS} from passkeys where merchant_id = $1 and customer_id = $2 order by created_at, id`,
)

/** All of one customer, flagged ones included. */
export async function listPasskeys(on: Queryable, owner: Owner) {
  return rows(on, list, [owner.merchantId, owner.customerId])
}

const find = statement<PasskeyRow>(
  'passkeys.find',
  `select ${COLUMNS} from passkeys where merchant_id = $1 and customer_id = $2 and id = $3`,
)

/** Only the customer's own: a credential of anybody else is as unknown as one that does not exist. */
export async function findPasskey(on: Queryable, owner: Owner, id: string) {
  return row(on, find, [owner.merchantId, owner.customerId, id])
}

const lockOwner = statement<{ id: string }>(
  'passkeys.lock_owner',
  'select id from customers where merchant_id = $1 and id = $2 for no key update',
)

/**
 * Registrations of one customer queue here: a passkey that does not exist yet cannot be locked. NO KEY UPDATE excludes the
 * others as well as UPDATE does, but not the foreign-key checks of every new session and card of the customer.
 */
export async function lockOwnerRow(tx: Tx, owner: Owner) {
  return row(tx, lockOwner, [owner.merchantId, owner.customerId])
}

const insertOnly = statement<{ id: string }>(
  'passkeys.insert_only',
  `insert into passkeys (merchant_id, id, customer_id, public_key, sign_count, transports, backup_eligible, backed_up,
     created_at)
   select $1::text, $3::text, $2::text, $4::bytea, $5::bigint, $6::text[], $7::boolean, $8::boolean, $9::timestamptz
   where not exists (select from passkeys where merchant_id = $1 and customer_id = $2)
   returning id`,
)

export interface NewPasskey {
  id: string
  publicKey: Buffer
  signCount: number
  transports: string[]
  backupEligible: boolean
  backedUp: boolean
  at: Date
}

/**
 * Undefined when the customer has a passkey, flagged or not: whoever holds a launch link must not add one of his own and spend the
 * saved cards. Needs `lockOwnerRow` in a statement before, or two inserts would each see no row.
 */
export async function insertOnlyPasskey(tx: Tx, owner: Owner, passkey: NewPasskey) {
  return row(tx, insertOnly, [
    owner.merchantId,
    owner.customerId,
    passkey.id,
    passkey.publicKey,
    passkey.signCount,
    passkey.transports,
    passkey.backupEligible,
    passkey.backedUp,
    passkey.at,
  ])
}

/** The index that refuses a credential id this merchant already knows, of whatever customer. */
export const PASSKEY_ID_CONSTRAINT = 'passkeys_pkey'

const flag = statement(
  'passkeys.flag',
  `update passkeys set flagged_at = $4 where merchant_id = $1 and customer_id = $2 and id = $3 and flagged_at is null`,
)

/** The first time wins; a flag is never lifted here. */
export async function flagPasskey(on: Queryable, owner: Owner, id: string, at: Date): Promise<void> {
  await count(on, flag, [owner.merchantId, owner.customerId, id, at])
}

const recordApproval = statement(
  'passkeys.record_approval',
  `with used as (
     update passkeys set sign_count = $4, backed_up = $5, last_used_at = $6
     where merchant_id = $1 and customer_id = $2 and id = $3 and flagged_at is null
       and (sign_count < $4 or (sign_count = 0 and $4 = 0))
     returning id)
   insert into approvals (merchant_id, session_id, mandate_id, card_id, passkey_id, statement, nonce, client_data_json,
     authenticator_data, signature, approved_at)
   select $1::text, $7::text, $8::text, $9::text, used.id, $10::text, $11::bytea, $12::bytea, $13::bytea, $14::bytea,
     $6::timestamptz
   from used
   on conflict on constraint approvals_pkey do nothing`,
)

export interface NewApproval {
  passkeyId: string
  signCount: number
  backedUp: boolean
  at: Date
  sessionId: string
  mandateId: string
  cardId: string
  statement: string
  nonce: Buffer
  clientDataJson: Buffer
  authenticatorData: Buffer
  signature: Buffer
}

/**
 * Counter and evidence in one statement. False when the counter was passed or the passkey flagged since the signature was
 * verified (of two uses with one counter value one counts), or when the session has its approval already.
 */
export async function insertApproval(tx: Tx, owner: Owner, approval: NewApproval): Promise<boolean> {
  const inserted = await count(tx, recordApproval, [
    owner.merchantId,
    owner.customerId,
    approval.passkeyId,
    approval.signCount,
    approval.backedUp,
    approval.at,
    approval.sessionId,
    approval.mandateId,
    approval.cardId,
    approval.statement,
    approval.nonce,
    approval.clientDataJson,
    approval.authenticatorData,
    approval.signature,
  ])
  return inserted === 1
}
