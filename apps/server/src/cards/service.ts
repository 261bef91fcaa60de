import type { EnterCardRequest } from '@mintmark/contract'
import type { CustomerRef } from '../customers/ref.ts'
import { singleOfSeveral } from '../db/command.ts'
import type { StepUp } from '../network/port.ts'
import { bound } from '../platform/bound.ts'
import { fieldErrors, PublicError } from '../platform/errors.ts'
import type { Secret } from '../platform/secret.ts'
import { type EnteredCard, parseCard, parseCvv } from '../vault/service.ts'
import { addRecord, recordProblems } from './add-record.ts'
import { remove } from './delete.ts'
import { deleting } from './delete-due.ts'
import { finishDeletion, keep } from './deletion.ts'
import type { CardDeps, EntryStore } from './deps.ts'
import { endingTokens } from './end-tokens.ts'
import { cardInactive, cardNotFound, Declined } from './errors.ts'
import { shredAbandoned } from './jobs.ts'
import { list } from './list.ts'
import { type EnteredResult, provision, verify } from './provision.ts'
import { sealedCard } from './seal.ts'
import { sealEntry } from './seal-entry.ts'
import type { Card, CardInEntry } from './store.ts'
import * as store from './store.ts'

export type { CardDeps, EntryStore, Kept } from './deps.ts'
export type { EnteredResult } from './provision.ts'
export { networkCardId } from './rules.ts'
export { isOwnCard, sealedCard, sealedEntry, sealedPasskeyOf } from './seal.ts'
export { sealEntry } from './seal-entry.ts'
export { type Card, type CardInEntry, findCard } from './store.ts'

export const createCardService = (deps: CardDeps) =>
  bound(deps, {
    ...{ enroll, enrollRecord, prove, verify, getUsable, find, list },
    ...{ remove, keep, addRecord, recordProblems, shredAbandoned, deleting, endingTokens },
  })
export type CardService = ReturnType<typeof createCardService>

/**
 * Enrolls a card as typed: seals it, asks the network, forgets the CVV. Ends `active` or waiting for a code. Null: no card may
 * be entered there now, and nothing was stored or asked.
 */
export async function enroll(
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
  return enter(deps, customer, entries, entered, { cvv, stepUp: 'if_needed', once: input.once === true })
}

/** So often it may happen to a card that is entered that it is being deleted, or was a moment ago. */
const MAX_LOOKS = 5

/**
 * Null: no card may be entered there now, and nothing was stored or asked. A card whose deletion has begun is deleted first, and
 * then enrolled anew: its cardholder is here.
 */
async function enter(
  deps: CardDeps,
  customer: CustomerRef,
  entries: EntryStore,
  entered: EnteredCard,
  asked: { cvv: Secret; stepUp: StepUp; once: boolean },
): Promise<EnteredResult | null> {
  const sealed = await sealEntry(deps, customer, entered)
  const { once } = asked
  const write = (insert: EntryStore['insertCard'], cardId?: string) =>
    sealed(
      (row) =>
        singleOfSeveral(deps, { name: 'cards.enroll', silent: 'card' }, ({ on, at }) =>
          insert(on, { ...row, once, at }),
        ),
      cardId,
    )
  for (let look = 1; look <= MAX_LOOKS; look += 1) {
    const found = await write(entries.insertCard)
    if (found === undefined) return null
    if (found.endingReason !== null) {
      await finishDeletion(deps, found)
      continue
    }
    const card = found.status === 'deleted' ? await write(entries.reviveCard, found.id) : found
    // Another entry has revived it meanwhile, or nothing may be entered any more.
    if (card === undefined) continue
    const rules = { countries: card.cardCountries, issuers: card.cardIssuers }
    try {
      return await provision(deps, card, { ...asked, entered, rules, isNew: card.isNew, entries })
    } catch (error) {
      if (look === MAX_LOOKS || !(await wasOvertaken(deps, card, error))) throw error
    }
  }
  throw cardInactive()
}

/**
 * True: the card that was entered was active, and its deletion has begun since then; or it was not accepted yet, and was ended by
 * another entry of it, which was refused. What the network has said of this entry itself stands.
 */
async function wasOvertaken(deps: CardDeps, card: CardInEntry, error: unknown): Promise<boolean> {
  const { merchantId, customerId, id, status, enrolment } = card
  if (status !== 'active' && !saysEnded(error)) return false
  const now = await store.findCard(deps.pool, { merchantId, customerId, cardId: id })
  if (now === undefined) return false
  if (now.enrolment !== enrolment || now.status === 'deleted') return true
  return status === 'active' && now.endingReason !== null
}

/** Here, or at the network. */
function saysEnded(error: unknown): boolean {
  if (!(error instanceof PublicError)) return false
  return (
    error.code === 'CARD_INACTIVE' || (error.cause instanceof Declined && error.cause.reason === 'TOKEN_NOT_ACTIVE')
  )
}

function missing(fields: Record<string, string | undefined>): Record<string, string> {
  const absent = Object.keys(fields).filter((name) => fields[name] === undefined)
  return Object.fromEntries(absent.map((name) => [name, 'is required']))
}

/**
 * Enrolls a vault record the merchant preselected; the cardholder gave only its CVV. The number is not theirs to know, so the
 * network asks them for a code as well. The card has the number in a record of its own: it goes with the card, and the
 * merchant's record does not tell whose cards were made of it. Null: as of `enroll`.
 */
export async function enrollRecord(
  deps: CardDeps,
  customer: CustomerRef,
  entries: EntryStore,
  vaultRecordId: string,
  cvvText: string,
): Promise<EnteredResult | null> {
  const onFile = await deps.vault.openCard(customer.merchantId, vaultRecordId)
  if (onFile === undefined) throw cardNotFound()
  const cvv = parseCvv(cvvText, onFile.brand)
  return enter(deps, customer, entries, onFile, { cvv, stepUp: 'required', once: false })
}

/**
 * Asks the cardholder to prove an active card: its CVV now, then the network's code. `once`: it is one of this session alone;
 * any other is kept from then on.
 */
export async function prove(
  deps: CardDeps,
  card: Card,
  entries: EntryStore,
  { cvv: cvvText, once }: { cvv: string; once: boolean },
): Promise<EnteredResult> {
  const cvv = parseCvv(cvvText, card.brand)
  deps.seals.check(sealedCard(card, card.networkTokenRef), card.seal)
  return provision(deps, card, { cvv, stepUp: 'required', rules: null, isNew: false, once, entries })
}

/** A card that this session may use, or the declared refusal. */
export async function getUsable(
  deps: CardDeps,
  customer: CustomerRef,
  cardId: string,
  { sessionId, provenCardId }: { sessionId: string; provenCardId: string | null },
): Promise<Card> {
  const { merchantId, customerId } = customer
  const usable = await store.findUsableCard(deps.pool, { merchantId, customerId, cardId, sessionId, provenCardId })
  if (usable !== undefined) return usable
  // A card that is there and not theirs to use reads like one that is not there.
  const card = await find(deps, customer, cardId)
  throw card === undefined || card.status === 'active' ? cardNotFound() : cardInactive()
}

/** A card of this customer, in any status. */
export async function find(deps: CardDeps, customer: CustomerRef, cardId: string): Promise<Card | undefined> {
  return store.findCard(deps.pool, { ...customer, cardId })
}
