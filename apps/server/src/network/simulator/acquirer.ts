import { randomInt } from 'node:crypto'
import { type Tx, transaction } from '../../db/transaction.ts'
import { randomText } from '../../platform/ids.ts'
import type { Money } from '../../platform/money.ts'
import type { Secret } from '../../platform/secret.ts'
import { merchantHost } from '../merchant-host.ts'
import type { Context } from './context.ts'
import * as mintStore from './mint-store.ts'
import { CVV_TRIES, type ResponseCode } from './response-codes.ts'
import { decideAuthorization } from './rules.ts'

/** A payment with a minted credential, as a merchant's acquirer sends it. */
export interface AuthorizationRequest {
  readonly token: Secret
  readonly dynamicCvv: Secret
  readonly expiryMonth: string
  readonly expiryYear: string
  readonly amount: Money
  readonly merchantUrl: string
}

export interface AuthorizationResult {
  readonly authorizationId: string
  readonly approved: boolean
  readonly responseCode: ResponseCode
  /** Only of an approved one. */
  readonly authorizationCode?: string
}

/**
 * The sandbox's acquirer. Any amount up to the minted one is approved, once; a refusal leaves the credential as it is,
 * wrong CVVs apart. Every attempt leaves a row.
 */
export function authorize(context: Context, request: AuthorizationRequest): Promise<AuthorizationResult> {
  const { pool, clock, cipher } = context
  return transaction(pool, async (tx) => {
    const credential = await mintStore.lockCredential(tx, cipher.lookup(request.token))
    const at = clock.now()
    const responseCode = judge(context, credential, request, at)
    if (credential !== undefined) await apply(tx, credential.charge_id, responseCode, at)
    return record(tx, request, { responseCode, chargeId: credential?.charge_id ?? null, at })
  })
}

function judge(
  { cipher }: Context,
  credential: mintStore.PresentedRow | undefined,
  request: AuthorizationRequest,
  now: Date,
): ResponseCode {
  const { amount, merchantUrl } = request
  const presented = { amount, merchantHost: merchantHost(merchantUrl), cvvRight: false, expiryRight: false }
  if (credential === undefined) return decideAuthorization(null, presented)
  const cvv = cipher.open(credential.cvv_sealed, { chargeId: credential.charge_id, field: 'cvv' })
  const facts = {
    state: credential.credential_state,
    behaviour: credential.behaviour,
    amount: { minor: credential.amount_minor, currency: credential.currency },
    merchantHost: credential.merchant_host,
    validUntil: credential.valid_until,
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
  printed: { expiry_month: string; expiry_year: string },
  given: { expiryMonth: string; expiryYear: string },
): boolean {
  const month = given.expiryMonth.padStart(2, '0')
  const year = given.expiryYear.length === 2 ? `20${given.expiryYear}` : given.expiryYear
  return month === printed.expiry_month && year === printed.expiry_year
}

async function apply(tx: Tx, chargeId: string, responseCode: ResponseCode, at: Date): Promise<void> {
  if (responseCode === '82') await mintStore.updateWrongCvv(tx, chargeId, CVV_TRIES)
  if (responseCode === '00' && (await mintStore.claimCredential(tx, chargeId, at)) !== 1) {
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
  await mintStore.insertAuthorization(tx, {
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
