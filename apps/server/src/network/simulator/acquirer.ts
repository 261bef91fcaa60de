import { randomInt } from 'node:crypto'
import { type Tx, transaction } from '../../db/transaction.ts'
import { randomText } from '../../platform/ids.ts'
import type { Money } from '../../platform/money.ts'
import type { Secret } from '../../platform/secret.ts'
import { merchantHost } from '../merchant-host.ts'
import * as store from './acquirer-store.ts'
import type { SimulatorDeps } from './deps.ts'
import { CVV_TRIES, type ResponseCode } from './response-codes.ts'
import { decideAuthorization } from './rules.ts'

/** A payment with a minted credential, as a merchant's acquirer sends it. */
export interface AuthorizationRequest {
  token: Secret
  dynamicCvv: Secret
  expiryMonth: string
  expiryYear: string
  amount: Money
  merchantUrl: string
}

export interface AuthorizationResult {
  authorizationId: string
  approved: boolean
  responseCode: ResponseCode
  /** Only of an approved one. */
  authorizationCode?: string
}

/**
 * The sandbox's acquirer. Any amount up to the minted one is approved, once; a refusal leaves the credential as it is,
 * wrong CVVs apart. So does an amount of zero, with which shops ask whether a card is good before they charge it: it is no try to pay, and
 * says nothing against a report. Every attempt leaves a row.
 */
export async function authorize(deps: SimulatorDeps, request: AuthorizationRequest): Promise<AuthorizationResult> {
  const { pool, clock, cipher } = deps
  // The schemas let no such amount through, so that no response code is for it.
  if (request.amount.minor < 0n) throw new RangeError('An authorization is for no amount below zero.')
  const isCheck = request.amount.minor === 0n
  return transaction(pool, async (tx) => {
    const credential = await store.lockCredential(tx, { numberLookup: cipher.lookup(request.token) })
    const at = clock.now()
    const responseCode = judge(deps, credential, request, at)
    const isPayment = !isCheck || responseCode === '82'
    if (credential !== undefined && isPayment) await apply(tx, credential.chargeId, responseCode, at)
    return record(tx, request, { responseCode, chargeId: isCheck ? null : (credential?.chargeId ?? null), at })
  })
}

function judge(
  { cipher }: SimulatorDeps,
  credential: store.Presented | undefined,
  request: AuthorizationRequest,
  now: Date,
): ResponseCode {
  const { amount, merchantUrl } = request
  const presented = { amount, merchantHost: merchantHost(merchantUrl), cvvRight: false, expiryRight: false }
  if (credential === undefined) return decideAuthorization(null, presented)
  const cvv = cipher.unseal(credential.cvvSealed, { chargeId: credential.chargeId, field: 'cvv' })
  const facts = {
    state: credential.credentialState,
    behaviour: credential.behaviour,
    amount: { minor: credential.amountMinor, currency: credential.currency },
    merchantHost: credential.merchantHost,
    validUntil: credential.validUntil,
    now,
  }
  return decideAuthorization(facts, {
    ...presented,
    cvvRight: cipher.same(cvv, request.dynamicCvv),
    expiryRight: isPrintedExpiry(credential, request),
  })
}

/** Checkout forms send `7` for July and `26` for 2026 as often as the printed form. */
function isPrintedExpiry(
  printed: Pick<AuthorizationRequest, 'expiryMonth' | 'expiryYear'>,
  given: Pick<AuthorizationRequest, 'expiryMonth' | 'expiryYear'>,
): boolean {
  const month = given.expiryMonth.padStart(2, '0')
  const year = given.expiryYear.length === 2 ? `20${given.expiryYear}` : given.expiryYear
  return month === printed.expiryMonth && year === printed.expiryYear
}

async function apply(tx: Tx, chargeId: string, responseCode: ResponseCode, at: Date): Promise<void> {
  if (responseCode === '82') await store.updateWrongCvv(tx, { chargeId, tries: CVV_TRIES })
  if (responseCode === '00' && (await store.claimCredential(tx, { chargeId, at })) !== 1) {
    throw new Error('The credential moved although it is locked.')
  }
}

async function record(
  tx: Tx,
  { amount, merchantUrl }: AuthorizationRequest,
  { responseCode, chargeId, at }: { responseCode: ResponseCode; chargeId: string | null; at: Date },
): Promise<AuthorizationResult> {
  const authorizationId = `auth_${randomText(16)}`
  const authorizationCode = responseCode === '00' ? String(randomInt(1_000_000)).padStart(6, '0') : null
  await store.insertAuthorization(tx, {
    authorizationId,
    chargeId,
    currency: amount.currency,
    amountMinor: amount.minor,
    merchantHost: merchantHost(merchantUrl),
    responseCode,
    authorizationCode,
    at,
  })
  if (authorizationCode === null) return { authorizationId, approved: false, responseCode }
  return { authorizationId, approved: true, responseCode, authorizationCode }
}
