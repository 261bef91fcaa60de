import { randomUUID } from 'node:crypto'
import type { CardRules } from '../bins/service.ts'
import type { CustomerRef } from '../customers/ref.ts'
import { command } from '../db/command.ts'
import type { DeclineReason, MadeCard, NetworkAnswer, ProvisionResult, StepUp, TokenResult } from '../network/port.ts'
import { unbounded } from '../platform/bounds.ts'
import { type Secret, secret } from '../platform/secret.ts'
import type { EnteredCard } from '../vault/service.ts'
import { type CardDeps, type EntryStore, type Kept, NO_EVENT } from './deps.ts'
import { cardInactive, cardNotFound, cardRefused, Declined, networkUnavailable, stepUpInvalid } from './errors.ts'
import { keepingOf } from './keeping.ts'
import { networkCardId, publicReason } from './rules.ts'
import { sealedCard, sealedEntry } from './seal.ts'
import { type EnrollmentRef, shred } from './shred.ts'
import type { Card } from './store.ts'
import * as store from './store.ts'

/** What comes of an entry, whatever was entered. */
interface Entered {
  stepUp: StepUp
  /** Number and expiry, when they were typed. */
  entered?: EnteredCard
  /** True when this entry made the card's row: a refusal ends it then. A card that others entered stays as it was. */
  isNew: boolean
  /** It is for this session alone, and not kept. */
  once: boolean
  /** The version of the words that said that it is kept; null: the page did not say. */
  words: number | null
  entries: EntryStore
}

/** What the cardholder entered of a card. */
export interface Entry extends Entered {
  cvv: Secret
  /** Which cards are accepted; null: it was accepted before. */
  rules: CardRules | null
}

/** A card whose entry the network accepted, or for which it sent the cardholder a code. */
export interface EnteredResult {
  card: Kept
  /** Names the entry while its code is awaited; null: it was accepted. */
  entryId: string | null
}

/**
 * Asks the network about one entry and records its word. Also of a card that is active: the CVV is judged every time,
 * and nothing of the card changes before the network has accepted the entry.
 */
export async function provision(deps: CardDeps, card: Card, entry: Entry): Promise<EnteredResult> {
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
  return recordWord(deps, card, entry, entryId, answer)
}

/** The same of a card that the network makes from an account of the operator: nothing is typed, and nothing judged. */
export async function provisionAccount(deps: CardDeps, card: Card, entry: Entered): Promise<EnteredResult> {
  const { provisionAccount: ask } = deps.network
  if (ask === undefined) throw networkUnavailable({ cause: new Error('The network makes no cards from an account.') })
  const entryId = randomUUID()
  const answer = await ask({ cardId: networkCardId(card), entryId, stepUp: entry.stepUp, account: true })
  const made = answer.outcome === 'ok' && answer.value.state === 'provisioned' ? answer.value.made : undefined
  if (made !== undefined) await recordMade(deps, card, made)
  return recordWord(deps, { ...card, ...made }, entry, entryId, answer)
}

/** What is shown of the card, before it is active with that under its seal; the network says the same each time. */
async function recordMade(deps: CardDeps, { merchantId, id: cardId, enrolment }: Card, made: MadeCard): Promise<void> {
  await command(deps, { name: 'cards.make', why: NO_EVENT, together: 'statement' }, ({ on, at }) =>
    store.updateMade(on, { merchantId, cardId, enrolment, ...made, at }),
  )
}

async function recordWord(
  deps: CardDeps,
  card: Card,
  entry: Entered,
  entryId: string,
  answer: NetworkAnswer<ProvisionResult>,
): Promise<EnteredResult> {
  switch (answer.outcome) {
    case 'unknown':
      throw networkUnavailable({ cause: new Error(answer.cause) })
    case 'declined':
      return refuse(deps, card, answer.reason, entry.isNew)
    case 'ok':
      if (answer.value.state === 'step_up') return { card: await recordStepUp(deps, card, entryId, entry), entryId }
      // A network that was told to ask for a code, and did not, has not said who is there.
      if (entry.stepUp === 'required') throw networkUnavailable({ cause: new Error('The network asked for no code.') })
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
  const card = await begun(deps, { ...customer, cardId })
  const answer = await deps.network.completeStepUp({ cardId: networkCardId(card), entryId, code: secret(code) })
  switch (answer.outcome) {
    case 'unknown':
      throw networkUnavailable({ cause: new Error(answer.cause) })
    case 'declined':
      if (answer.reason === 'STEP_UP_CODE_WRONG') throw wrongCode(answer.triesLeft)
      return refuse(deps, card, answer.reason, true)
    case 'ok': {
      const token = acceptance(deps, card, answer.value)
      const verified = await command(
        deps,
        { name: 'cards.verify', why: NO_EVENT, together: 'statement' },
        ({ on, at }) => entries.updateVerified(on, { ...token, entryId, at }),
      )
      if (verified === undefined) throw cardInactive()
      return verified
    }
  }
}

/** Asks the network for another code for one entry. */
export async function sendNewCode(
  deps: CardDeps,
  customer: CustomerRef,
  { cardId, entryId, number }: { cardId: string; entryId: string; number: number },
): Promise<void> {
  const card = await begun(deps, { ...customer, cardId })
  const answer = await deps.network.sendNewCode({ cardId: networkCardId(card), entryId, number })
  if (answer.outcome === 'unknown') throw networkUnavailable({ cause: new Error(answer.cause) })
  if (answer.outcome === 'declined') await refuse(deps, card, answer.reason, true)
}

/** A card that waits for a code, or has had one. */
async function begun({ pool, seals }: CardDeps, ref: CustomerRef & { cardId: string }) {
  const card = await store.findBegun(pool, ref)
  if (card === undefined) throw cardNotFound()
  if (card.status === 'deleted') throw cardInactive()
  seals.check(sealedEntry(card, card.fingerprint), card.entrySeal)
  return card
}

/** The cardholder who typed it learns how many tries are left, and nothing else. */
function wrongCode(triesLeft: number | undefined) {
  return stepUpInvalid(triesLeft === undefined ? {} : { details: { tries_left: String(triesLeft) } })
}

/**
 * The card is active with this token; a second confirmation of the same provisioning changes nothing but the expiry.
 */
async function recordToken(deps: CardDeps, card: Card, given: TokenResult, entry: Entered): Promise<Kept> {
  const { entered, entries, once, isNew } = entry
  const keeping = keepingOf(deps.seals, card, entry)
  const token = acceptance(deps, card, given, entered)
  const kept = await command(deps, { name: 'cards.activate', why: NO_EVENT, together: 'statement' }, ({ on, at }) =>
    entries.updateAccepted(on, { ...token, once, isNew, keeping, at }),
  )
  if (kept === undefined) throw cardInactive()
  return kept
}

/** What an accepted card gets; of one that is active already nothing but another expiry is written. */
function acceptance({ seals }: CardDeps, card: Card, given: TokenResult, { expMonth, expYear }: CardExpiry = card) {
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

/** An active card stays active while a code is awaited for an entry of it. */
async function recordStepUp(deps: CardDeps, card: Card, entryId: string, entry: Entered): Promise<Kept> {
  const { id: cardId, enrolment } = card
  const { entries, once } = entry
  const keeping = keepingOf(deps.seals, card, entry)
  const kept = await command(
    deps,
    { name: 'cards.await_step_up', why: NO_EVENT, together: 'statement' },
    ({ on, at }) => entries.updateAwaited(on, { cardId, enrolment, entryId, once, keeping, at }),
  )
  if (kept === undefined) throw cardInactive()
  return kept
}

/** The network asks for the same card once more, under the same id: it would take another id for a first try. */
const TRY_AGAIN: ReadonlySet<DeclineReason> = new Set(['DEVICE_BINDING_FAILED'])

/** A refused card leaves nothing behind: its row ends and its number is shredded, unless it was enrolled before. */
async function refuse(
  deps: CardDeps,
  { merchantId, id: cardId, enrolment }: Card,
  reason: DeclineReason,
  mayEnd: boolean,
): Promise<never> {
  if (mayEnd && !TRY_AGAIN.has(reason)) await end(deps, { merchantId, cardId, enrolment })
  throw cardRefused({ details: { reason: publicReason(reason) }, cause: new Declined(reason) })
}

/**
 * Whatever comes of it the cardholder is told that the card is refused, and the refusal is counted: another answer
 * would tell as much, uncounted. A card that could not be ended is ended by the sweep of those that were left.
 */
async function end(deps: CardDeps, card: EnrollmentRef): Promise<void> {
  const ending = unbounded(() =>
    command(deps, { name: 'cards.refuse', why: NO_EVENT, together: 'statement' }, ({ on, at }) => shred(on, card, at)),
  )
  await ending.catch((error: unknown) => {
    deps.log.failure('a refused card was not ended', error, { merchant_id: card.merchantId })
  })
}
