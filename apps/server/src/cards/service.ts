import type { EnterCardRequest } from '@mintmark/contract'
import type { Pool } from 'pg'
import type { Queryable } from '../db/statement.ts'
import { type Tx, transaction } from '../db/transaction.ts'
import type { CardNetwork, DeclineReason } from '../network/port.ts'
import { addSeconds, type Clock } from '../platform/clock.ts'
import { fieldErrors } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { type Secret, secret } from '../platform/secret.ts'
import type { EnteredCard, SealedCard, Vault } from '../vault/service.ts'
import { cardInactive, cardNotFound, cardRefused, networkUnavailable, REFUSAL_TEXTS, stepUpInvalid } from './errors.ts'
import * as store from './store.ts'

export type Card = store.CardRow

/** Whose card: every call names merchant and customer. */
export interface CardOwner {
  merchantId: string
  customerId: string
}

export interface CardService {
  /** Enrols a card as typed: seals it, asks the network, forgets the CVV. Ends `active` or waiting for a code. */
  enter(owner: CardOwner, input: EnterCardRequest): Promise<Card>
  /** Enrols a vault record the merchant preselected; the cardholder gave only its CVV. */
  enterRecord(owner: CardOwner, vaultRecordId: string, cvv: string): Promise<Card>
  /** The code the network sent the cardholder. */
  verify(owner: CardOwner, cardId: string, code: string): Promise<Card>
  /** An active card of this customer, or the declared refusal. */
  getActive(on: Queryable, owner: CardOwner, cardId: string): Promise<Card>
  find(on: Queryable, owner: CardOwner, cardId: string): Promise<Card | undefined>
  listActive(on: Queryable, owner: CardOwner): Promise<Card[]>
  /** Ends cards that were begun a day ago and never accepted, and shreds their numbers. Answers how many. */
  shredAbandoned(limit: number): Promise<number>
}

const ABANDONED_AFTER_SECONDS = 24 * 3600

interface Deps {
  pool: Pool
  clock: Clock
  vault: Vault
  network: Pick<CardNetwork, 'completeStepUp'>
}

export function createCardService(deps: Deps): CardService {
  return {
    enter: (owner, input) => enter(deps, owner, input),
    enterRecord: (owner, vaultRecordId, cvv) => enterRecord(deps, owner, vaultRecordId, cvv),
    verify: (owner, cardId, code) => verify(deps, owner, cardId, code),
    async getActive(on, owner, cardId) {
      const card = await store.findCard(on, owner.merchantId, owner.customerId, cardId)
      if (card === undefined) throw cardNotFound()
      if (card.status !== 'active') throw cardInactive()
      return card
    },
    find: (on, owner, cardId) => store.findCard(on, owner.merchantId, owner.customerId, cardId),
    listActive: (on, owner) => store.listActiveCards(on, owner.merchantId, owner.customerId),
    shredAbandoned: (limit) => shredAbandoned(deps, limit),
  }
}

async function enter(deps: Deps, owner: CardOwner, input: EnterCardRequest): Promise<Card> {
  const { card_number, expiry_month, expiry_year } = input
  if (card_number === undefined || expiry_month === undefined || expiry_year === undefined) {
    throw fieldErrors(missing({ card_number, expiry_month, expiry_year }))
  }
  const entered = deps.vault.parseCard({ card_number, expiry_month, expiry_year }, deps.clock.now())
  const cvv = deps.vault.parseCvv(input.cvv, entered.brand)
  // Sealed before the transaction: wrapping the data key may be a network call to a key service.
  const sealed = await deps.vault.sealCard(owner.merchantId, entered)
  const card = await transaction(deps.pool, (tx) => keep(deps, tx, owner, entered, sealed))
  return provision(deps, card, cvv)
}

function missing(fields: Record<string, string | undefined>): Record<string, string> {
  const absent = Object.keys(fields).filter((name) => fields[name] === undefined)
  return Object.fromEntries(absent.map((name) => [name, 'is required']))
}

/** The customer's one live card of this number: a new one, or the one that is there with its expiry brought up to date. */
async function keep(deps: Deps, tx: Tx, owner: CardOwner, entered: EnteredCard, sealed: SealedCard): Promise<Card> {
  const at = deps.clock.now()
  const live = await store.lockLiveCard(tx, owner.merchantId, owner.customerId, sealed.fingerprint)
  if (live !== undefined) return renew(deps, tx, live, entered, at)
  await deps.vault.insertRecord(tx, owner.merchantId, sealed, at)
  const inserted = await store.insertLiveCard(tx, newCard(owner, sealed.id, sealed.fingerprint, entered, at))
  if (inserted !== undefined) return inserted
  // Another tab inserted the number between our look and our insert; its row is committed now.
  await deps.vault.deleteRecord(tx, owner.merchantId, sealed.id)
  const theirs = await store.lockLiveCard(tx, owner.merchantId, owner.customerId, sealed.fingerprint)
  if (theirs === undefined) throw networkUnavailable()
  return renew(deps, tx, theirs, entered, at)
}

async function renew(deps: Deps, tx: Tx, live: Card, entered: EnteredCard, at: Date): Promise<Card> {
  if (live.vault_record_id !== null) {
    await deps.vault.updateExpiry(tx, live.merchant_id, live.vault_record_id, entered.expMonth, entered.expYear)
  }
  const renewed = await store.restartCard(tx, live.merchant_id, live.id, entered.expMonth, entered.expYear, at)
  return renewed ?? live
}

type CardFacts = Pick<EnteredCard, 'last4' | 'brand' | 'expMonth' | 'expYear'>

function newCard(
  owner: CardOwner,
  vaultRecordId: string,
  fingerprint: Buffer,
  facts: CardFacts,
  at: Date,
): store.NewCard {
  return {
    merchantId: owner.merchantId,
    id: newId('card'),
    customerId: owner.customerId,
    vaultRecordId,
    fingerprint,
    last4: facts.last4,
    brand: facts.brand,
    expMonth: facts.expMonth,
    expYear: facts.expYear,
    at,
  }
}

async function enterRecord(deps: Deps, owner: CardOwner, vaultRecordId: string, cvvText: string): Promise<Card> {
  const record = await deps.vault.findRecord(deps.pool, owner.merchantId, vaultRecordId)
  if (record === undefined) throw cardNotFound()
  const cvv = deps.vault.parseCvv(cvvText, record.brand)
  const card = await transaction(deps.pool, async (tx) => {
    const at = deps.clock.now()
    const inserted = await store.insertLiveCard(tx, newCard(owner, record.id, record.fingerprint, record, at))
    return inserted ?? (await store.lockLiveCard(tx, owner.merchantId, owner.customerId, record.fingerprint))
  })
  if (card === undefined) throw networkUnavailable()
  return provision(deps, card, cvv)
}

/** Asks the network, idempotently on the card's id, and records its word. Also for a card already active: the CVV is checked. */
async function provision(deps: Deps, card: Card, cvv: Secret): Promise<Card> {
  if (card.vault_record_id === null) throw cardInactive()
  const answer = await deps.vault.provision({
    merchantId: card.merchant_id,
    recordId: card.vault_record_id,
    cardId: card.id,
    cvv,
  })
  switch (answer.outcome) {
    case 'unknown':
      throw networkUnavailable({ cause: new Error(answer.cause) })
    case 'declined':
      return refuse(deps, card, answer.reason)
    case 'ok': {
      const at = deps.clock.now()
      const updated =
        answer.value.state === 'provisioned'
          ? await store.activateCard(deps.pool, card.merchant_id, card.id, answer.value.tokenRef, at)
          : await store.awaitCardStepUp(deps.pool, card.merchant_id, card.id, at)
      if (updated === undefined) throw cardInactive()
      return updated
    }
  }
}

async function verify(deps: Deps, owner: CardOwner, cardId: string, code: string): Promise<Card> {
  const card = await store.findCard(deps.pool, owner.merchantId, owner.customerId, cardId)
  if (card === undefined) throw cardNotFound()
  if (card.status === 'active') return card
  if (card.status !== 'provisioning' || !card.step_up_pending) throw cardInactive()
  const answer = await deps.network.completeStepUp({ cardId, code: secret(code) })
  switch (answer.outcome) {
    case 'unknown':
      throw networkUnavailable({ cause: new Error(answer.cause) })
    case 'declined':
      if (answer.reason === 'STEP_UP_CODE_WRONG') throw stepUpInvalid()
      return refuse(deps, card, answer.reason)
    case 'ok': {
      const { tokenRef } = answer.value
      const active = await store.activateCard(deps.pool, owner.merchantId, cardId, tokenRef, deps.clock.now())
      if (active === undefined) throw cardInactive()
      return active
    }
  }
}

/** The network asks for the same card once more, under the same id: it would take another id for a first try. */
const TRY_AGAIN: ReadonlySet<DeclineReason> = new Set(['DEVICE_BINDING_FAILED'])

/** A refused card leaves nothing behind: its row ends and its number is shredded, unless it was enrolled before. */
async function refuse(deps: Deps, card: Card, reason: DeclineReason): Promise<never> {
  if (!TRY_AGAIN.has(reason)) await transaction(deps.pool, (tx) => shred(deps, tx, card.merchant_id, card.id))
  throw cardRefused({
    ...(REFUSAL_TEXTS[reason] === undefined ? {} : { message: REFUSAL_TEXTS[reason] }),
    details: { reason },
  })
}

async function shred(deps: Deps, tx: Tx, merchantId: string, cardId: string): Promise<void> {
  const refused = await store.refuseCard(tx, merchantId, cardId, deps.clock.now())
  const recordId = refused?.vault_record_id
  if (typeof recordId !== 'string') return
  // A record the merchant put in the vault is the merchant's to delete.
  if (await store.isPreselected(tx, merchantId, recordId)) return
  await deps.vault.deleteRecord(tx, merchantId, recordId)
}

async function shredAbandoned(deps: Deps, limit: number): Promise<number> {
  return transaction(deps.pool, async (tx) => {
    const before = addSeconds(deps.clock.now(), -ABANDONED_AFTER_SECONDS)
    const abandoned = await store.lockAbandonedCards(tx, before, limit)
    for (const card of abandoned) await shred(deps, tx, card.merchant_id, card.id)
    return abandoned.length
  })
}
