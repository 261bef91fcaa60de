import type { SurfaceOutcome } from '@mintmark/contract'
import { cardInactive, cardNotFound } from '../cards/errors.ts'
import { isDatabaseUnavailable } from '../db/errors.ts'
import { allowanceExhausted, configMissing, merchantLookupFailed } from '../merchants/errors.ts'
import type { CeremonyScope } from '../passkeys/service.ts'
import { addSeconds } from '../platform/clock.ts'
import type { DeclaredError } from '../platform/errors.ts'
import { type ErrorDetails, fieldErrors, PublicError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { amountFromMinor, minorFromAmount } from '../platform/money.ts'
import type { WireCredential } from '../vault/service.ts'
import { approvalOptions, approve } from './approve.ts'
import type { SessionDeps } from './deps.ts'
import { cancelSession, loadSession, revokeSession, sweepSessions } from './end.ts'
import {
  mandateSetupNotImplemented,
  quoteNotFound,
  reportStatusError,
  sessionCreateError,
  simulationNotAllowed,
} from './errors.ts'
import { hashLaunchSecret, launchSecretMatches, launchUrl, newLaunchSecret } from './launch.ts'
import { networkSafeName, normalizePurchase, purchaseProblems } from './purchase.ts'
import { type Report, type ReportResult, reportStatus } from './report.ts'
import { outcomeFor, returnUrl } from './rules.ts'
import { driveCharge } from './settle.ts'
import * as store from './store.ts'
import type { CreateSessionBody, CustomPurchase } from './wire.ts'

export type { Report, ReportResult } from './report.ts'
export type { SessionKey, SessionRow } from './store.ts'

export interface CreatedSession {
  sessionId: string
  sessionToken: string
  iframeUrl: string
  orderId: string
  expiresAt: Date
}

export interface SessionService {
  create(merchantId: string, body: CreateSessionBody): Promise<CreatedSession>
  /** The session as it is now; ends that time brought are carried out first. */
  load(of: store.SessionKey): Promise<store.SessionRow>
  /** With the credential, opened, only while the session awaits its report. */
  result(of: store.SessionKey): Promise<{ session: store.SessionRow; credential: WireCredential | null }>
  report(of: store.SessionKey, report: Report): Promise<ReportResult>
  revoke(of: store.SessionKey): Promise<void>
  cancel(of: store.SessionKey): Promise<void>
  /** True when the secret is the one in this session's `iframe_url`. */
  launchMatches(session: store.SessionRow, launchSecret: string): boolean
  issueToken(session: store.SessionRow): Promise<string>
  bindCard(of: store.SessionKey, cardId: string | null): Promise<boolean>
  approvalOptions(scope: CeremonyScope, embedded: boolean): ReturnType<typeof approvalOptions>
  approve(scope: CeremonyScope, response: unknown): Promise<void>
  outcomeFor(session: store.SessionRow): SurfaceOutcome | null
  returnUrl(session: store.SessionRow): string | null
  /** Ends what time has ended. Answers how many. */
  sweep(limit: number): Promise<number>
  /** Takes open network calls that nobody holds to their end. Answers how many. */
  reconcile(limit: number): Promise<number>
}

export function createSessionService(deps: SessionDeps): SessionService {
  return {
    create: (merchantId, body) => declared(sessionCreateError, () => create(deps, merchantId, body)),
    load: (of) => loadSession(deps, of),
    result: (of) => result(deps, of),
    report: (of, report) => declared(reportStatusError, () => reportStatus(deps, of, report)),
    revoke: (of) => revokeSession(deps, of),
    cancel: (of) => cancelSession(deps, of),
    launchMatches: (session, given) =>
      launchSecretMatches(deps.launchSecretsKey, session.id, given, session.launch_hash),
    issueToken: (session) => signToken(deps, session),
    bindCard: (of, cardId) => store.bindSessionCard(deps.pool, of, cardId, deps.clock.now()),
    approvalOptions: (scope, embedded) => approvalOptions(deps, scope, embedded),
    approve: (scope, response) => approve(deps, scope, response),
    outcomeFor,
    returnUrl,
    sweep: (limit) => sweepSessions(deps, limit),
    async reconcile(limit) {
      const open = await deps.charges.claimOpen(limit)
      await Promise.all(open.map((work) => driveCharge(deps, work)))
      return open.length
    },
  }
}

/** Gives what nobody foresaw the code the contract names for this call; refusals and an absent database keep theirs. */
async function declared<T>(error: DeclaredError, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof PublicError || isDatabaseUnavailable(cause)) throw cause
    throw error({ cause })
  }
}

const REFUSALS: Record<store.CreateRefusal, DeclaredError> = {
  MERCHANT_LOOKUP_ERROR: merchantLookupFailed,
  CONFIG_ERROR: configMissing,
  CARD_NOT_FOUND: cardNotFound,
  CARD_INACTIVE: cardInactive,
  TRIES_EXHAUSTED: allowanceExhausted,
}

async function create(deps: SessionDeps, merchantId: string, body: CreateSessionBody): Promise<CreatedSession> {
  const now = deps.clock.now()
  const custom = checkCreate(deps, body, now)
  const launchSecret = newLaunchSecret()
  const session = newSession(deps, merchantId, body, custom, launchSecret, now)
  const created = await store.createSession(deps.pool, session)
  if (created === undefined) throw sessionCreateError()
  if (created.refusal !== null) throw REFUSALS[created.refusal]()
  if (created.customer_id === null) throw sessionCreateError()
  const { sessionId, orderId, expiresAt } = session
  const sessionToken = await deps.tokens.sign({
    merchantId,
    sessionId,
    customerId: created.customer_id,
    orderId,
    issuedAt: now,
    expiresAt,
  })
  const iframeUrl = launchUrl(deps.surfaceUrl, merchantId, sessionId, launchSecret)
  return { sessionId, sessionToken, iframeUrl, orderId, expiresAt }
}

/** What a schema cannot say, every failing field at once. Answers the one custom purchase. */
function checkCreate(deps: SessionDeps, body: CreateSessionBody, now: Date): CustomPurchase {
  const purchase = normalizePurchase(body.purchase_context)
  const setup = body.mandate_setup?.intent === 'checkout' ? undefined : body.mandate_setup
  const details: ErrorDetails = purchaseProblems(purchase, body.total_amount, body.currency)
  if (setup?.valid_until !== undefined && setup.recurring_frequency !== 'one_time') {
    if (new Date(setup.valid_until) <= now) details['mandate_setup.valid_until'] = 'must lie in the future'
  }
  if (Object.keys(details).length > 0) throw fieldErrors(details)
  if (body.sandbox_simulation !== undefined) {
    const allowed = deps.environment === 'sandbox' && purchase.mode === 'quote' && setup === undefined
    if (!allowed) throw simulationNotAllowed()
  }
  if (setup !== undefined) throw mandateSetupNotImplemented()
  if (purchase.mode === 'quote') throw quoteNotFound()
  return purchase.custom
}

function newSession(
  deps: SessionDeps,
  merchantId: string,
  body: CreateSessionBody,
  custom: CustomPurchase,
  launchSecret: string,
  at: Date,
): store.NewSession {
  const sessionId = newId('session')
  const { merchant_details: payee, product_details: products } = custom
  return {
    merchantId,
    sessionId,
    newCustomerId: newId('customer'),
    userId: body.user_id,
    email: body.user_email,
    phone: body.user_phone ?? null,
    country: body.user_country_code_iso2 ?? null,
    orderId: newId('order'),
    chargeId: newId('charge'),
    lineItemId: newId('lineItem'),
    integrationType: body.integration_type ?? 'full_checkout',
    callbackUrl: body.callback_url ?? null,
    description: body.description ?? null,
    externalOrderRef: body.external_order_ref ?? null,
    effectiveMinutes: custom.effective_until_minutes ?? 15,
    cardId: body.card?.card_id ?? null,
    vaultRecordId: body.card?.vault_ref_id ?? null,
    launchHash: hashLaunchSecret(deps.launchSecretsKey, sessionId, launchSecret),
    at,
    expiresAt: addSeconds(at, deps.lifetimeSeconds),
    amountMinor: minorFromAmount(body.total_amount),
    currency: body.currency,
    payee: {
      name: networkSafeName(payee.name),
      url: payee.url,
      country: payee.country_code_iso2,
      categoryCode: payee.category_code ?? null,
      category: payee.category ?? null,
    },
    products: products.map((product) => ({
      ref: newId('product'),
      externalId: product.product_id ?? null,
      name: product.description,
      unitPrice: amountFromMinor(minorFromAmount(product.unit_price)),
      quantity: product.quantity ?? 1,
    })),
  }
}

async function result(deps: SessionDeps, of: store.SessionKey) {
  const session = await loadSession(deps, of)
  const { status, credential_sealed: sealed, credential_key_id: keyId } = session
  if (status !== 'awaiting_result' || sealed === null || keyId === null) return { session, credential: null }
  const credential = await deps.vault.openCredential(of.merchantId, session.charge_id, { sealed, keyId })
  return { session, credential }
}

function signToken(deps: SessionDeps, session: store.SessionRow): Promise<string> {
  return deps.tokens.sign({
    merchantId: session.merchant_id,
    sessionId: session.id,
    customerId: session.customer_id,
    orderId: session.order_id,
    issuedAt: deps.clock.now(),
    expiresAt: session.expires_at,
  })
}
