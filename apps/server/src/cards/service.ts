import type { EnterCardRequest } from '@mintmark/contract'
import type { CustomerRef } from '../customers/ref.ts'
import { single } from '../db/command.ts'
import { bound } from '../platform/bound.ts'
import { fieldErrors } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { type EnteredCard, parseCard, parseCvv } from '../vault/service.ts'
import { type CardDeps, type EntryStore, type NewCard, NO_EVENT } from './deps.ts'
import { cardInactive, cardNotFound } from './errors.ts'
import { shredAbandoned } from './jobs.ts'
import { type EnteredResult, provision, verify } from './provision.ts'
import type { Card } from './store.ts'
import * as store from './store.ts'

export type { CardDeps, EntryStore } from './deps.ts'
export type { EnteredResult } from './provision.ts'
export { sealedCard } from './seal.ts'
export type { Card } from './store.ts'

export const createCardService = (deps: CardDeps) =>
  bound(deps, { enrol, enrolRecord, prove, verify, getUsable, find, shredAbandoned })
export type CardService = ReturnType<typeof createCardService>

/**
 * Enrols a card as typed: seals it, asks the network, forgets the CVV. Ends `active` or waiting for a code. Null: no card may
 * be entered there now, and nothing was stored or asked.
 */
export async function enrol(
  deps: CardDeps,
  customer: CustomerRef,
  entries: EntryStore,
  input: EnterCardRequest,
): Promise<EnteredResult | null> {
  const { card_number, expiry_month, expiry_year } = input
  if (card_number === undefined || expiry_month === undefined || expiry_year === undefined) {
    throw fieldErrors(missing({ card_number, expiry_month, expiry_year }))
  }
  const entered = parseCard({ card_number, expiry_month, expiry_year }, deps.clock.now())
  const cvv = parseCvv(input.cvv, entered.brand)
  // Sealed before the statement: wrapping the data key may be a network call to a key service.
  const { number, ...record } = await deps.vault.sealCard(customer.merchantId, entered)
  const sealedNumber = { numberSealed: number.sealed, numberKeyId: number.keyId }
  const card = await single(deps, { name: 'cards.enrol', silent: NO_EVENT }, ({ on, at }) =>
    entries.insertCard(on, { ...newCard(customer, record, at), ...sealedNumber }),
  )
  if (card === undefined) return null
  return provision(deps, card, { cvv, stepUp: 'if_needed', entered, isNew: card.isNew, entries })
}

function missing(fields: Record<string, string | undefined>): Record<string, string> {
  const absent = Object.keys(fields).filter((name) => fields[name] === undefined)
  return Object.fromEntries(absent.map((name) => [name, 'is required']))
}

/** What a new card takes from its vault record. */
type RecordFacts = Omit<EnteredCard, 'number'> & { id: string; fingerprint: Buffer }

function newCard({ customerId }: CustomerRef, record: RecordFacts, at: Date): NewCard {
  const { id: vaultRecordId, fingerprint, last4, brand, expMonth, expYear } = record
  const facts = { vaultRecordId, fingerprint, last4, brand, expMonth, expYear }
  return { customerId, ...facts, cardId: newId('card'), at }
}

/**
 * Enrols a vault record the merchant preselected; the cardholder gave only its CVV. The number is not theirs to know, so the
 * network asks them for a code as well. Null: as of `enrol`.
 */
export async function enrolRecord(
  deps: CardDeps,
  customer: CustomerRef,
  entries: EntryStore,
  vaultRecordId: string,
  cvvText: string,
): Promise<EnteredResult | null> {
  const record = await deps.vault.findRecord(customer.merchantId, vaultRecordId)
  if (record === undefined) throw cardNotFound()
  const cvv = parseCvv(cvvText, record.brand)
  const card = await single(deps, { name: 'cards.enrol_record', silent: NO_EVENT }, ({ on, at }) =>
    entries.insertCardOfRecord(on, newCard(customer, record, at)),
  )
  if (card === undefined) return null
  return provision(deps, card, { cvv, stepUp: 'required', isNew: card.isNew, entries })
}

/** Asks the cardholder to prove an active card: its CVV now, then the network's code. */
export async function prove(deps: CardDeps, card: Card, entries: EntryStore, cvvText: string): Promise<EnteredResult> {
  const cvv = parseCvv(cvvText, card.brand)
  return provision(deps, card, { cvv, stepUp: 'required', isNew: false, entries })
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
