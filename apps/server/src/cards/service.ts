import type { EnterCardRequest } from '@mintmark/contract'
import type { CustomerRef } from '../customers/ref.ts'
import { command } from '../db/command.ts'
import type { Tx } from '../db/transaction.ts'
import { bound } from '../platform/bound.ts'
import { fieldErrors } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import {
  deleteCardholderRecord,
  type EnteredCard,
  insertRecord,
  parseCard,
  parseCvv,
  type SealedCard,
  updateExpiry,
} from '../vault/service.ts'
import { type CardDeps, NO_EVENT } from './deps.ts'
import { cardInactive, cardNotFound, networkUnavailable } from './errors.ts'
import { shredAbandoned } from './jobs.ts'
import { provision, verify } from './provision.ts'
import { abandonedAt } from './rules.ts'
import type { Card } from './store.ts'
import * as store from './store.ts'

export type { CardDeps } from './deps.ts'
export type { Card } from './store.ts'

export const createCardService = (deps: CardDeps) =>
  bound(deps, { enrol, enrolRecord, verify, getActive, find, listActive, shredAbandoned })
export type CardService = ReturnType<typeof createCardService>

/** Enrols a card as typed: seals it, asks the network, forgets the CVV. Ends `active` or waiting for a code. */
export async function enrol(deps: CardDeps, customer: CustomerRef, input: EnterCardRequest): Promise<Card> {
  const { card_number, expiry_month, expiry_year } = input
  if (card_number === undefined || expiry_month === undefined || expiry_year === undefined) {
    throw fieldErrors(missing({ card_number, expiry_month, expiry_year }))
  }
  const entered = parseCard({ card_number, expiry_month, expiry_year }, deps.clock.now())
  const cvv = parseCvv(input.cvv, entered.brand)
  // Sealed before the transaction: wrapping the data key may be a network call to a key service.
  const sealed = await deps.vault.sealCard(customer.merchantId, entered)
  const card = await command(deps, { name: 'cards.enrol', silent: NO_EVENT }, ({ tx, at }) =>
    upsertLiveCard(tx, customer, sealed, at),
  )
  if (card === null) throw networkUnavailable()
  return provision(deps, card, cvv)
}

function missing(fields: Record<string, string | undefined>): Record<string, string> {
  const absent = Object.keys(fields).filter((name) => fields[name] === undefined)
  return Object.fromEntries(absent.map((name) => [name, 'is required']))
}

/** The customer's one live card of this number: a new one, or the one that is there with its expiry brought up to date. */
async function upsertLiveCard(tx: Tx, customer: CustomerRef, sealed: SealedCard, at: Date): Promise<Card> {
  const { merchantId } = customer
  const key = { ...customer, fingerprint: sealed.fingerprint }
  const live = await store.lockLiveCard(tx, key)
  if (live !== undefined) return updateCardExpiry(tx, live, sealed, at)
  await insertRecord(tx, merchantId, sealed, at)
  const inserted = await store.insertLiveCard(tx, newCard(customer, sealed, at))
  if (inserted !== undefined) return inserted
  // Another tab inserted the number between our read and our insert; its row is committed now.
  await deleteCardholderRecord(tx, { merchantId, recordId: sealed.id })
  const theirs = await store.lockLiveCard(tx, key)
  if (theirs === undefined) throw networkUnavailable()
  return updateCardExpiry(tx, theirs, sealed, at)
}

async function updateCardExpiry(tx: Tx, live: Card, { expMonth, expYear }: SealedCard, at: Date): Promise<Card> {
  const { merchantId, id: cardId, vaultRecordId: recordId } = live
  if (recordId !== null) await updateExpiry(tx, { merchantId, recordId, expMonth, expYear })
  const dueAt = abandonedAt(at)
  return (await store.updateExpiry(tx, { merchantId, cardId, expMonth, expYear, dueAt, at })) ?? live
}

/** What a new card takes from its vault record. */
type RecordFacts = Omit<EnteredCard, 'number'> & { id: string; fingerprint: Buffer }

function newCard(customer: CustomerRef, record: RecordFacts, at: Date) {
  const { id: vaultRecordId, fingerprint, last4, brand, expMonth, expYear } = record
  const facts = { vaultRecordId, fingerprint, last4, brand, expMonth, expYear }
  return { ...customer, ...facts, id: newId('card'), dueAt: abandonedAt(at), at }
}

/** Enrols a vault record the merchant preselected; the cardholder gave only its CVV. */
export async function enrolRecord(
  deps: CardDeps,
  customer: CustomerRef,
  vaultRecordId: string,
  cvvText: string,
): Promise<Card> {
  const record = await deps.vault.findRecord(customer.merchantId, vaultRecordId)
  if (record === undefined) throw cardNotFound()
  const cvv = parseCvv(cvvText, record.brand)
  const card = await command(deps, { name: 'cards.enrol_record', silent: NO_EVENT }, async ({ tx, at }) => {
    const inserted = await store.insertLiveCard(tx, newCard(customer, record, at))
    return inserted ?? store.lockLiveCard(tx, { ...customer, fingerprint: record.fingerprint })
  })
  if (!card) throw networkUnavailable()
  return provision(deps, card, cvv)
}

/** An active card of this customer, or the declared refusal. */
export async function getActive(deps: CardDeps, customer: CustomerRef, cardId: string): Promise<Card> {
  const card = await find(deps, customer, cardId)
  if (card === undefined) throw cardNotFound()
  if (card.status !== 'active') throw cardInactive()
  return card
}

/** A card of this customer, in any status. */
export async function find(deps: CardDeps, customer: CustomerRef, cardId: string): Promise<Card | undefined> {
  return store.findCard(deps.pool, { ...customer, cardId })
}

/** The customer's usable cards, default first, then newest. */
export async function listActive(deps: CardDeps, customer: CustomerRef): Promise<Card[]> {
  return store.listActiveCards(deps.pool, { ...customer })
}
