import { randomUUID } from 'node:crypto'
import { cardRefused, networkUnavailable } from '../cards/errors.ts'
import { type Card, type CardInEntry, networkCardId, sealEntry, sealedCard, sealedEntry } from '../cards/service.ts'
import type { CustomerRef } from '../customers/ref.ts'
import { single } from '../db/command.ts'
import { workOnce } from '../db/create-once.ts'
import type { KeyedRequest, StoredResponse } from '../db/respond-once.ts'
import { awaitOutcome } from '../jobs/await-outcome.ts'
import { leaseBound } from '../jobs/due.ts'
import { holding, retryTime, workBeside } from '../jobs/handle.ts'
import type { Job } from '../jobs/loop.ts'
import { type Claim, leaseEnd } from '../jobs/work.ts'
import { configMissing, merchantLookupFailed } from '../merchants/errors.ts'
import type { DeclineReason, TokenResult } from '../network/port.ts'
import { unbounded } from '../platform/bounds.ts'
import { type DeclaredError, fieldErrors, type PublicError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { EnrollmentDeps } from './deps.ts'
import { binCountryNotAllowed, binIssuerNotAllowed, emailRequired } from './errors.ts'
import type { EnrollRefusal } from './fragments.ts'
import * as store from './store.ts'

/** Whose card, and which record of the vault it is. */
export interface ProvisionRequest {
  userId: string
  email: string | null
  vaultRecordId: string
  /** The merchant named a consent of the customer. */
  consentGiven: boolean
}

/** What the network said of a card. */
type Word = { outcome: 'active' | 'unknown' | 'overtaken' } | { outcome: 'refused'; reason: DeclineReason }

/**
 * Provisions a card of the merchant's vault without its cardholder. The customer's live card of a number is one, however many
 * ask and however often. A card that comes of it is used only after its cardholder has proven it. `NETWORK_UNAVAILABLE`: the
 * network said nothing; a worker goes on asking, and the same call returns the card then.
 */
export async function provisionOnly(
  deps: EnrollmentDeps,
  merchantId: string,
  request: ProvisionRequest,
): Promise<{ cardId: string }> {
  return provisionUntil(deps, merchantId, request, performance.now() + deps.callerWaitMillis)
}

/** The same, once a key of the merchant's. Done twice it is the same card, as long as that lives. */
export function provisionOnce(
  deps: EnrollmentDeps,
  merchantId: string,
  request: ProvisionRequest,
  once: KeyedRequest<{ cardId: string }>,
): Promise<StoredResponse> {
  return workOnce(deps, { merchantId, agentId: null }, once, () => provisionOnly(deps, merchantId, request))
}

async function provisionUntil(
  deps: EnrollmentDeps,
  merchantId: string,
  request: ProvisionRequest,
  deadline: number,
): Promise<{ cardId: string }> {
  const customerId = await admit(deps, merchantId, request)
  const card = await begin(deps, { merchantId, customerId }, request.vaultRecordId)
  if (request.consentGiven) await keepConsent(deps, card)
  const settled = await settle(deps, card, deadline)
  // One that its cardholder entered for one payment alone is kept from now on.
  if (settled !== null && (await deps.cards.keep(settled))) return { cardId: card.id }
  // It was deleted meanwhile, or the network refused it to another caller, who alone was told why: this one asks for themselves.
  return provisionUntil(deps, merchantId, request, deadline)
}

/** Whose card it is, if it may be. */
async function admit(deps: EnrollmentDeps, merchantId: string, request: ProvisionRequest): Promise<string> {
  const { userId, email, vaultRecordId } = request
  const customer = { userId, email, phone: null, country: null, newCustomerId: newId('customer') }
  const admitted = await single(deps, { name: 'enrollment.admit', silent: 'card' }, ({ on, at }) =>
    store.insertCustomer(on, { merchantId, ...customer, vaultRecordId, at }),
  )
  const refusal = admitted?.refusal ?? null
  if (refusal !== null) throw enrollRefused(refusal)
  const customerId = admitted?.customerId ?? null
  if (customerId === null) throw new Error('A customer was neither made nor refused.')
  return customerId
}

/** Before the network is asked: a caller who is not told how it ended may never ask again, and the card may be made all the same. */
async function keepConsent(deps: EnrollmentDeps, { merchantId, id: cardId, enrolment }: CardInEntry): Promise<void> {
  await single(deps, { name: 'enrollment.keep_consent', silent: 'card' }, ({ on, at }) =>
    store.updateConsent(on, { merchantId, cardId, enrolment, at }),
  )
}

/** The card has the number in a record of its own, as one that is entered. */
async function begin(deps: EnrollmentDeps, customer: CustomerRef, recordId: string): Promise<CardInEntry> {
  const { merchantId } = customer
  const onFile = await deps.vault.openCard(merchantId, recordId)
  if (onFile === undefined) throw enrollRefused('VAULT_RECORD_NOT_FOUND')
  const sealed = await sealEntry(deps, customer, onFile)
  const declaration = { name: 'enrollment.begin_card', silent: 'card' } as const
  const write = (insert: typeof store.insertCard, cardId?: string) =>
    sealed(
      (row) => single(deps, declaration, ({ on, at }) => insert(on, { ...row, merchantId, onceSessions: null, at })),
      cardId,
    )
  const card = await write(store.insertCard)
  if (card === undefined) throw merchantLookupFailed()
  if (card.status !== 'deleted') return card
  // None: another caller has begun it anew, and this one looks again.
  return (await write(store.reviveCard, card.id)) ?? card
}

const REFUSALS: Record<Exclude<EnrollRefusal, 'VAULT_RECORD_NOT_FOUND'>, DeclaredError> = {
  MERCHANT_LOOKUP_ERROR: merchantLookupFailed,
  CONFIG_ERROR: configMissing,
  ENROLL_USER_EMAIL_REQUIRED: emailRequired,
}

/** Why nothing was begun, as its caller is told. */
export function enrollRefused(refusal: EnrollRefusal): PublicError {
  if (refusal !== 'VAULT_RECORD_NOT_FOUND') return REFUSALS[refusal]()
  return fieldErrors({ vault_ref_id: 'is not a vault record of yours' })
}

/** The card once it is active, by whichever process asked; null: it has ended. Throws what the network said to this caller. */
async function settle(deps: EnrollmentDeps, begun: CardInEntry, deadline: number): Promise<CardInEntry | null> {
  const { merchantId, id: cardId } = begun
  const settled = await awaitOutcome<CardInEntry | undefined, store.CardWork>(begun, deadline, {
    isOpen: (card) => card?.status === 'provisioning',
    claim: () => claim(deps, begun),
    drive: async (work) => heard(await drive(deps, work)),
    look: () => store.findCard(deps.pool, { merchantId, cardId }),
    late: networkUnavailable,
  })
  return settled?.status === 'active' ? settled : null
}

function heard(word: Word): void {
  if (word.outcome === 'unknown') throw networkUnavailable()
  if (word.outcome === 'refused') throw refusedFor(word.reason)
}

function refusedFor(reason: DeclineReason): PublicError {
  if (reason === 'BIN_COUNTRY_NOT_ALLOWED') return binCountryNotAllowed()
  return reason === 'BIN_ISSUER_NOT_ALLOWED' ? binIssuerNotAllowed() : cardRefused()
}

function claim(deps: EnrollmentDeps, { merchantId, id: cardId }: CardInEntry): Promise<store.CardWork | undefined> {
  return single(deps, { name: 'enrollment.claim_card', silent: 'work' }, ({ on, at }) =>
    store.claimCard(on, { merchantId, cardId, at, leaseUntil: leaseEnd(deps, at), leaseBound: leaseBound(at) }),
  )
}

/** Asks, records the network's word, also when the caller has hung up meanwhile, and gives back what stays open. */
async function drive(deps: EnrollmentDeps, work: store.CardWork): Promise<Word> {
  return holding(deps, store.cardWork, work, async () => {
    const word = await askHeld(deps, work)
    if (word.outcome === 'unknown') {
      await unbounded(() =>
        single(deps, { name: 'enrollment.postpone', silent: 'work' }, ({ on, at }) =>
          store.cardWork.postpone(on, work, retryTime(at, work.attempts)),
        ),
      )
    }
    return word
  })
}

/** As `drive`, for one who keeps the lease and gives it back. Unknown is never refused. */
async function askHeld(deps: EnrollmentDeps, work: Claim): Promise<Word> {
  const { merchantId, id: cardId } = work
  const card = await store.findCard(deps.pool, { merchantId, cardId })
  if (card?.status !== 'provisioning' || card.vaultRecordId === null) return finish(deps, work, card?.status)
  deps.seals.check(sealedEntry(card, card.fingerprint), card.entrySeal)
  await single(deps, { name: 'enrollment.ask', silent: 'card' }, ({ on, at }) =>
    store.updateAsked(on, { merchantId, cardId, at }),
  )
  const entry = { entryId: randomUUID(), cvv: null, stepUp: 'never' } as const
  const place = { merchantId, recordId: card.vaultRecordId, networkCardId: networkCardId(card) }
  const rules = { countries: card.cardCountries, issuers: card.cardIssuers }
  const judge = (bin: string) => deps.bins.judge(rules, bin)
  const answer = await deps.vault.provision({ ...place, ...entry, judge })
  if (answer.outcome === 'unknown') return { outcome: 'unknown' }
  if (answer.outcome === 'declined') return unbounded(() => recordRefused(deps, work, card, answer.reason))
  // A network that was told that no cardholder is there, and asks for a code, has not accepted the card.
  if (answer.value.state === 'step_up') return unbounded(() => recordRefused(deps, work, card, 'CARD_DECLINED'))
  const { value: token } = answer
  return unbounded(() => recordActive(deps, work, card, token))
}

async function recordActive(deps: EnrollmentDeps, work: Claim, card: Card, token: TokenResult): Promise<Word> {
  const { merchantId, id: cardId, enrolment, expMonth, expYear } = card
  const { tokenRef, design } = token
  const seal = deps.seals.seal(sealedCard(card, tokenRef))
  const word = { merchantId, cardId, enrolment, tokenRef, design, seal, expMonth, expYear, leaseFence: work.leaseFence }
  const recorded = await single(deps, { name: 'enrollment.provision', silent: 'card' }, ({ on, at }) =>
    store.updateProvisioned(on, { ...word, at }),
  )
  // The process that holds the work now has the network's word as well, or will.
  return { outcome: recorded?.status === 'active' ? 'active' : 'overtaken' }
}

async function recordRefused(
  deps: EnrollmentDeps,
  { leaseFence }: Claim,
  card: Card,
  reason: DeclineReason,
): Promise<Word> {
  const { merchantId, id: cardId, enrolment } = card
  const ended = { merchantId, cardId, enrolment, networkCardId: networkCardId(card) }
  await single(deps, { name: 'enrollment.refuse', silent: 'card' }, ({ on, at }) =>
    store.updateRefused(on, { ...ended, leaseFence, at }),
  )
  return { outcome: 'refused', reason }
}

/** It was accepted or ended otherwise meanwhile: nothing is left to do. */
async function finish(deps: EnrollmentDeps, work: Claim, status: Card['status'] | undefined): Promise<Word> {
  await single(deps, { name: 'enrollment.finish', silent: 'work' }, ({ on }) => store.cardWork.finish(on, work))
  return status === 'active' ? { outcome: 'active' } : { outcome: 'refused', reason: 'CARD_DECLINED' }
}

/** Cards of one process at a time. Many of them wait for the network. */
const MAX_AT_ONCE = 50

/** Finishes what callers left open: their process died, or the network said nothing. */
export function provisioning(deps: EnrollmentDeps): Job {
  return workBeside(deps, store.cardWork, {
    name: store.PROVISION_JOB,
    limit: MAX_AT_ONCE,
    handle: async (work) => (await askHeld(deps, work)).outcome !== 'unknown',
  })
}
