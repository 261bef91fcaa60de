import type { Currency, PaymentFailure } from '@mintmark/contract'
import type { MintedCredential } from '../network/port.ts'
import { releaseCredential } from './confirm.ts'
import type { CheckoutToPay } from './delivery-port.ts'
import type { ChargeDeps } from './deps.ts'
import type { MintOutcome } from './mint.ts'
import { delegationEnds, deliveryOf, TRIES_UNTIL_IT_IS_LOST } from './rules.ts'
import type { ChargeFacts } from './work-fragments.ts'

// A charge whose card goes to a shop, for the shop's own token. All of it happens while the charge is `minting`, outside any transaction: each
// step is idempotent on the charge's id, at the network and at the shop, so whoever takes over makes the same steps and has the same token.

const UNKNOWN = { outcome: 'unknown' } as const
const refused = (failure: PaymentFailure) => ({ outcome: 'refused', failure }) as const

function checkoutOf(work: ChargeFacts): CheckoutToPay | null {
  const delivery = deliveryOf(work)
  if (delivery === null) return null
  const { id: chargeId, payeeUrl, amountMinor: minor, currency } = work
  return { ...delivery, chargeId, payeeUrl, total: { minor, currency: currency as Currency } }
}

/**
 * Before the mint: nothing is minted for a checkout that is not open at that amount. A shop that says nothing for long is not waited for: the
 * network is told that no mint of this charge will be wanted, which ends one that is on its way. Undefined: go on.
 */
export async function lookFirst(deps: ChargeDeps, work: ChargeFacts): Promise<MintOutcome | undefined> {
  const checkout = checkoutOf(work)
  if (checkout === null) return undefined
  const { outcome } = await deps.delegations.look(checkout)
  if (outcome === 'ok') return undefined
  if (outcome === 'unknown' && work.attempts <= TRIES_UNTIL_IT_IS_LOST) return UNKNOWN
  // The first try has asked the network for nothing yet.
  if (work.attempts === 1) return refused('DELIVERY_REFUSED')
  const became = await releaseCredential(deps, { chargeId: work.id })
  return became === 'ended' ? refused('DELIVERY_REFUSED') : UNKNOWN
}

/**
 * The minted card of such a charge goes to the shop, and the token takes its place. Where the shop does not take it, for certain or because
 * that stays unknown for too long, the card is ended at the network first.
 */
export async function deliver(
  deps: ChargeDeps,
  work: ChargeFacts,
  instructionRef: string,
  credential: MintedCredential,
): Promise<MintOutcome | undefined> {
  const checkout = checkoutOf(work)
  if (checkout === null) return undefined
  const minted = { work, instructionRef, credential }
  const { validUntil, ...card } = credential
  if (delegationEnds(work, validUntil) <= deps.clock.now()) return takeBack(deps, minted, 'CREDENTIAL_LAPSED')
  const expiresAt = validUntil < work.validUntil ? validUntil : work.validUntil
  const answer = await deps.delegations.delegate({ ...checkout, credential: card, expiresAt })
  switch (answer.outcome) {
    case 'unknown':
      return UNKNOWN
    case 'refused':
      return takeBack(deps, minted, 'DELIVERY_REFUSED')
    case 'ok': {
      const sealed = await deps.vault.sealShopToken(work.merchantId, work.id, answer.value)
      return { outcome: 'minted', instructionRef, sealed, validUntil }
    }
  }
}

interface MintedCard {
  work: ChargeFacts
  instructionRef: string
  credential: MintedCredential
}

/** A shop that got the card, and has used it although no caller was told of a token, leaves a charge that is over and waits for its report. */
async function takeBack(
  deps: ChargeDeps,
  { work, instructionRef, credential }: MintedCard,
  failure: PaymentFailure,
): Promise<MintOutcome> {
  const { merchantId, id } = work
  const became = await releaseCredential(deps, { chargeId: id })
  if (became === 'unknown') return UNKNOWN
  if (became === 'ended') return refused(failure)
  const sealed = await deps.vault.sealCredential(merchantId, id, credential)
  return { outcome: 'minted', instructionRef, sealed, validUntil: deps.clock.now() }
}
