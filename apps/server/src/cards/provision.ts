import { randomUUID } from 'node:crypto'
import type { CardRules } from '../bins/service.ts'
import type { CustomerRef } from '../customers/ref.ts'
import { single, singleThenRead } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { DeclineReason, StepUp, TokenResult } from '../network/port.ts'
import { unbounded } from '../platform/bounds.ts'
import { type Secret, secret } from '../platform/secret.ts'
import type { EnteredCard } from '../vault/service.ts'
import { deleteWorkOfKept } from './deletion-store.ts'
import type { CardDeps, EntryStore, Kept } from './deps.ts'
import { cardInactive, cardNotFound, cardRefused, Declined, networkUnavailable, stepUpInvalid } from './errors.ts'
import { networkCardId, publicReason } from './rules.ts'
import { sealedCard, sealedEntry } from './seal.ts'
import { type CardEnrollmentRef, shred } from './shred.ts'
import type { Card, CardInEntry } from './store.ts'
import * as store from './store.ts'

/** What the cardholder entered of a card. */
export interface Entry {
  cvv: Secret
  stepUp: StepUp
  /** Number and expiry, when they were typed. */
  entered?: EnteredCard
  /** True when this entry made the card's row: a refusal ends it then. A card that others entered stays as it was. */
  isNew: boolean
  /** It is for this session alone, and not kept. */
  once: boolean
  /** Which cards are accepted; null: it was accepted before. */
  rules: CardRules | null
  entries: EntryStore
}

/** A card whose entry the network accepted, or for which it sent the cardholder a code. */
export interface EnteredResult {
  card: Kept
  /** Names the entry while its code is awaited; null: it was accepted. */
  entryId: string | null
}

/**
 * Asks the network about one entry and records its word. Also of a card that is active: the CVV is judged every time, and
 * nothing of the card changes before the network has accepted the entry.
 */
export async function provision(deps: CardDeps, card: CardInEntry, entry: Entry): Promise<EnteredResult> {
  const { merchantId, vaultRecordId: recordId } = card
  if (recordId === null) throw cardInactive()
  const entryId = randomUUID()
  const { cvv, stepUp, entered, rules } = entry
  const typed = entered === undefined ? {} : { entered }
  const answer = await deps.vault.provision({
    ...{ merchantId, recordId, networkCardId: networkCardId(card) },
    ...{ entryId, cvv, stepUp, ...typed },
    judge: async (bin) => (rules === null ? null : deps.bins.judge(rules, bin)),
  })
  switch (answer.outcome) {
    case 'unknown':
      throw networkUnavailable({ cause: new Error(answer.cause) })
    case 'declined':
      return refuse(deps, card, answer.reason, entry.isNew)
    case 'ok':
      if (answer.value.state === 'step_up') return { card: await recordStepUp(deps, card, entryId, entry), entryId }
      // A network that was told to ask for a code, and did not, has not said who is there.
      if (stepUp === 'required') throw networkUnavailable({ cause: new Error('The network asked for no code.') })
      return { card: await recordToken(deps, card, answer.value, entry), entryId: null }
  }
}

/** The code that the network sent the cardholder for one entry. */
export async function verify(
  deps: CardDeps,
  customer: CustomerRef,
  { cardId, entryId }: { cardId: string; entryId: string },
  entries: EntryStore,
  code: string,
): Promise<Kept> {
  const card = await store.findBegun(deps.pool, { ...customer, cardId })
  if (card === undefined) throw cardNotFound()
  if (card.status === 'deleted') throw cardInactive()
  deps.seals.check(sealedEntry(card, card.fingerprint), card.entrySeal)
  const answer = await deps.network.completeStepUp({ cardId: networkCardId(card), entryId, code: secret(code) })
  switch (answer.outcome) {
    case 'unknown':
      throw networkUnavailable({ cause: new Error(answer.cause) })
    case 'declined':
      if (answer.reason === 'STEP_UP_CODE_WRONG') throw stepUpInvalid()
      return refuse(deps, card, answer.reason, true)
    case 'ok': {
      const token = acceptance(deps, card, answer.value)
      return recordAccepted(deps, card, 'cards.verify', entries, ({ on, at }, isActive) => [
        entries.updateVerified(on, { ...token, entryId, at }, isActive),
        ...keptNow(on, card, false),
      ])
    }
  }
}

/** The card is active with this token. */
async function recordToken(deps: CardDeps, card: CardInEntry, given: TokenResult, entry: Entry): Promise<Kept> {
  const { entered = card, entries, once, isNew } = entry
  const token = acceptance(deps, card, given, entered)
  const isAsStored = entered.expMonth === card.expMonth && entered.expYear === card.expYear
  return recordAccepted(deps, card, 'cards.activate', entries, ({ on, at }, isActive) => [
    entries.updateAccepted(on, { ...token, once, at }, isActive),
    // For an active card another entry may have stored another expiry meanwhile.
    ...(isActive || !isAsStored ? [store.updateRecord(on, { merchantId: card.merchantId, ...token })] : []),
    ...(once ? [] : keptNow(on, card, isNew && !isActive)),
  ])
}

/** What an accepted card gets. One that is active already keeps its token. */
function acceptance(
  { seals }: CardDeps,
  card: CardInEntry,
  given: TokenResult,
  { expMonth, expYear }: CardExpiry = card,
) {
  const { tokenRef, design } = given
  return {
    cardId: card.id,
    enrolment: card.enrolment,
    tokenRef,
    design,
    seal: seals.seal(sealedCard(card, tokenRef)),
    expMonth,
    expYear,
  }
}

type CardExpiry = Pick<Card, 'expMonth' | 'expYear'>
type Context = { on: Queryable; at: Date }

/**
 * A card that was accepted to be kept has no work to delete it any more. None is sent where there was none: the card was active and kept,
 * which it stays, or this very entry has made it.
 */
function keptNow(on: Queryable, { merchantId, id: cardId, status, onceSessions }: CardInEntry, isNew: boolean) {
  const hadNone = isNew || (status === 'active' && onceSessions === null)
  return hadNone ? [] : [deleteWorkOfKept(on, { merchantId, cardId })]
}

/**
 * Writes down that the network accepted an entry. A card that waited for that may have become active by the word on another entry
 * meanwhile, and is accepted anew then.
 */
async function recordAccepted(
  deps: CardDeps,
  card: CardInEntry,
  name: string,
  entries: EntryStore,
  write: (context: Context, isActive: boolean) => [Promise<Kept | undefined>, ...Promise<unknown>[]],
): Promise<Kept> {
  const accepted = (isActive: boolean) =>
    record(deps, name, entries, async (context) => (await Promise.all(write(context, isActive)))[0])
  const kept = (card.status === 'active' ? undefined : await accepted(false)) ?? (await accepted(true))
  if (kept === undefined) throw cardInactive()
  return kept
}

/** An active card stays active while a code is awaited for an entry of it. */
async function recordStepUp(
  deps: CardDeps,
  card: CardInEntry,
  entryId: string,
  { entries, once }: Entry,
): Promise<Kept> {
  const { id: cardId, enrolment } = card
  const kept = await record(deps, 'cards.await_step_up', entries, ({ on, at }) =>
    entries.updateAwaited(on, { cardId, enrolment, entryId, once, at }),
  )
  if (kept === undefined) throw cardInactive()
  return kept
}

/** Writes down what the network said of an entry: that stands, also where what is shown after it cannot be read. */
async function record(
  deps: CardDeps,
  name: string,
  { look }: EntryStore,
  write: (context: Context) => Promise<Kept | undefined>,
): Promise<Kept | undefined> {
  const [kept] = await singleThenRead(deps, { name, silent: 'card' }, write, look)
  return kept
}

/** The network asks for the same card once more, under the same id: it would take another id for a first try. */
const TRY_AGAIN: ReadonlySet<DeclineReason> = new Set(['DEVICE_BINDING_FAILED'])

/** A refused card leaves nothing behind: its row ends and its number is shredded, unless it was enrolled before. */
async function refuse(
  deps: CardDeps,
  { merchantId, id: cardId, enrolment }: CardInEntry,
  reason: DeclineReason,
  mayEnd: boolean,
): Promise<never> {
  if (mayEnd && !TRY_AGAIN.has(reason)) await end(deps, { merchantId, cardId, enrolment })
  throw cardRefused({ details: { reason: publicReason(reason) }, cause: new Declined(reason) })
}

/**
 * Whatever comes of it the cardholder is told that the card is refused, and the refusal is counted: another answer would tell
 * as much, uncounted. A card that could not be ended is ended by the sweep of those that were left.
 */
async function end(deps: CardDeps, card: CardEnrollmentRef): Promise<void> {
  const ending = unbounded(() =>
    single(deps, { name: 'cards.refuse', silent: 'card' }, ({ on, at }) => shred(on, card, at)),
  )
  await ending.catch((error: unknown) => {
    deps.log.failure('a refused card was not ended', error, { merchant_id: card.merchantId })
  })
}
