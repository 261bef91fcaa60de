import type { EnterCardRequest } from '@mintmark/contract'
import type { CustomerRef } from '../customers/ref.ts'
import { command, rollback } from '../db/command.ts'
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
} from '../vault/service.ts'
import { type CardDeps, NO_EVENT } from './deps.ts'
import { cardInactive, cardNotFound, networkUnavailable } from './errors.ts'
import { shredAbandoned } from './jobs.ts'
import { type EnteredResult, provision, verify } from './provision.ts'
import type { Card } from './store.ts'
import * as store from './store.ts'

export type { CardDeps } from './deps.ts'
export type { EnteredResult } from './provision.ts'
export { sealedCard } from './seal.ts'
export type { Card } from './store.ts'

export const createCardService = (deps: CardDeps) =>
  bound(deps, { enrol, enrolRecord, prove, verify, getUsable, find, shredAbandoned })
export type CardService = ReturnType<typeof createCardService>

/** Enrols a card as typed: seals it, asks the network, forgets the CVV. Ends `active` or waiting for a code. */
export async function enrol(deps: CardDeps, customer: CustomerRef, input: EnterCardRequest): Promise<EnteredResult> {
  const { card_number, expiry_month, expiry_year } = input
  if (card_number === undefined || expiry_month === undefined || expiry_year === undefined) {
    throw fieldErrors(missing({ card_number, expiry_month, expiry_year }))
  }
  const entered = parseCard({ card_number, expiry_month, expiry_year }, deps.clock.now())
  const cvv = parseCvv(input.cvv, entered.brand)
  // Sealed before the transaction: wrapping the data key may be a network call to a key service.
  const sealed = await deps.vault.sealCard(customer.merchantId, entered)
  const { card, isNew } = await liveCard(deps, customer, sealed)
  return provision(deps, card, { cvv, stepUp: 'if_needed', entered, isNew })
}

function missing(fields: Record<string, string | undefined>): Record<string, string> {
  const absent = Object.keys(fields).filter((name) => fields[name] === undefined)
  return Object.fromEntries(absent.map((name) => [name, 'is required']))
}

/** Entries of one number at the same time each see the row of another appear or end; one more look settles it. */
const MOST_LOOKS = 5

/** The customer's one live card of this number: a new one, or the one that is there, as it is. */
async function liveCard(deps: CardDeps, customer: CustomerRef, sealed: SealedCard) {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const found = await command(deps, { name: 'cards.enrol', silent: NO_EVENT }, ({ tx, at }) =>
      findOrInsert(tx, customer, sealed, at),
    )
    if (found !== null) return found
  }
  throw networkUnavailable()
}

async function findOrInsert(tx: Tx, customer: CustomerRef, sealed: SealedCard, at: Date) {
  const { merchantId } = customer
  const live = await store.lockLiveCard(tx, { ...customer, fingerprint: sealed.fingerprint })
  if (live !== undefined) return { card: live, isNew: false }
  await insertRecord(tx, merchantId, sealed, at)
  const inserted = await store.insertLiveCard(tx, newCard(customer, sealed, at))
  if (inserted !== undefined) return { card: inserted, isNew: true }
  // Another tab inserted the number between our look and our insert; its row is committed now.
  await deleteCardholderRecord(tx, { merchantId, recordId: sealed.id })
  const theirs = await store.lockLiveCard(tx, { ...customer, fingerprint: sealed.fingerprint })
  // Refused and ended already: look again.
  return theirs === undefined ? rollback : { card: theirs, isNew: false }
}

/** What a new card takes from its vault record. */
type RecordFacts = Omit<EnteredCard, 'number'> & { id: string; fingerprint: Buffer }

function newCard(customer: CustomerRef, record: RecordFacts, at: Date) {
  const { id: vaultRecordId, fingerprint, last4, brand, expMonth, expYear } = record
  const facts = { vaultRecordId, fingerprint, last4, brand, expMonth, expYear }
  return { ...customer, ...facts, id: newId('card'), at }
}

/**
 * Enrols a vault record the merchant preselected; the cardholder gave only its CVV. The number is not theirs to know, so the
 * network asks them for a code as well.
 */
export async function enrolRecord(
  deps: CardDeps,
  customer: CustomerRef,
  vaultRecordId: string,
  cvvText: string,
): Promise<EnteredResult> {
  const record = await deps.vault.findRecord(customer.merchantId, vaultRecordId)
  if (record === undefined) throw cardNotFound()
  const cvv = parseCvv(cvvText, record.brand)
  const found = await command(deps, { name: 'cards.enrol_record', silent: NO_EVENT }, async ({ tx, at }) => {
    const inserted = await store.insertLiveCard(tx, newCard(customer, record, at))
    if (inserted !== undefined) return { card: inserted, isNew: true }
    const live = await store.lockLiveCard(tx, { ...customer, fingerprint: record.fingerprint })
    return live === undefined ? rollback : { card: live, isNew: false }
  })
  if (found === null) throw networkUnavailable()
  return provision(deps, found.card, { cvv, stepUp: 'required', isNew: found.isNew })
}

/** Asks the cardholder to prove an active card: its CVV now, then the network's code. */
export async function prove(deps: CardDeps, card: Card, cvvText: string): Promise<EnteredResult> {
  const cvv = parseCvv(cvvText, card.brand)
  return provision(deps, card, { cvv, stepUp: 'required', isNew: false })
}

/** A card that this session may use, or the declared refusal. */
export async function getUsable(
  deps: CardDeps,
  customer: CustomerRef,
  cardId: string,
  provenCardId: string | null,
): Promise<Card> {
  const { merchantId, customerId } = customer
  const usable = await store.findUsableCard(deps.pool, { merchantId, customerId, cardId, provenCardId })
  if (usable !== undefined) return usable
  // A card that is there and not theirs to use reads like one that is not there.
  const card = await find(deps, customer, cardId)
  throw card === undefined || card.status === 'active' ? cardNotFound() : cardInactive()
}

/** A card of this customer, in any status. */
export async function find(deps: CardDeps, customer: CustomerRef, cardId: string): Promise<Card | undefined> {
  return store.findCard(deps.pool, { ...customer, cardId })
}
