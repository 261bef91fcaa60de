import { cardInactive, cardNotFound } from '../cards/errors.ts'
import { single } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { allowanceExhausted, configMissing, merchantLookupFailed } from '../merchants/errors.ts'
import { addSeconds } from '../platform/clock.ts'
import type { DeclaredError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { SessionDeps } from './deps.ts'
import { mandateSetupNotImplemented, quoteNotFound, sessionCreateError, simulationNotAllowed } from './errors.ts'
import { hashLaunchSecret, launchUrl, newLaunchSecret } from './launch.ts'
import type { Purchase, SessionRequest } from './purchase.ts'
import { type CreateRefusal, insertPayment, insertPlainPayment } from './store.ts'

export interface CreatedSession {
  sessionId: string
  sessionToken: string
  iframeUrl: string
  orderId: string
  expiresAt: Date
}

const REFUSALS: Record<CreateRefusal, DeclaredError> = {
  MERCHANT_LOOKUP_ERROR: merchantLookupFailed,
  CONFIG_ERROR: configMissing,
  CARD_NOT_FOUND: cardNotFound,
  CARD_INACTIVE: cardInactive,
  TRIES_EXHAUSTED: allowanceExhausted,
}

/** Creates a session of the kind that is asked for. */
export async function create(deps: SessionDeps, merchantId: string, request: SessionRequest): Promise<CreatedSession> {
  if (request.simulated && !(deps.environment === 'sandbox' && request.mode === 'quote')) throw simulationNotAllowed()
  switch (request.mode) {
    case 'mandate_setup':
      throw mandateSetupNotImplemented()
    case 'quote':
      throw quoteNotFound()
    case 'custom':
      return createPayment(deps, merchantId, request.purchase)
  }
}

async function createPayment(deps: SessionDeps, merchantId: string, purchase: Purchase): Promise<CreatedSession> {
  const now = deps.clock.now()
  const launchSecret = newLaunchSecret()
  const session = newPayment(deps, merchantId, purchase, launchSecret, now)
  const silent = 'A session that nobody approved is no payment yet.'
  const created = await single(deps, { name: 'sessions.create', silent }, ({ on }) => insertOpen(on, session))
  if (created === undefined) throw sessionCreateError()
  if (created.refusal !== null) throw REFUSALS[created.refusal]()
  if (created.customerId === null) throw sessionCreateError()
  const { sessionId, orderId, expiresAt } = session
  const { customerId } = created
  const token = { merchantId, sessionId, customerId, orderId, issuedAt: now, expiresAt }
  const sessionToken = await deps.tokens.sign(token)
  const iframeUrl = launchUrl(deps.surfaceUrl, merchantId, sessionId, launchSecret)
  return { sessionId, sessionToken, iframeUrl, orderId, expiresAt }
}

/** One statement, unless something is asked for or stands against it that the plain one does not know. */
async function insertOpen(on: Queryable, session: NewPayment) {
  const isPlain = session.cardId === null && session.vaultRecordId === null
  const plain = isPlain ? await insertPlainPayment(on, session) : undefined
  return plain === undefined ? insertPayment(on, session) : { refusal: null, ...plain }
}

/** The values of `insertPayment`. */
export type NewPayment = ReturnType<typeof newPayment>

export function newPayment(
  deps: Pick<SessionDeps, 'launchSecretsKey' | 'lifetimeSeconds'>,
  merchantId: string,
  purchase: Purchase,
  launchSecret: string,
  at: Date,
) {
  const { customer, payee, products, ...rest } = purchase
  const sessionId = newId('session')
  return {
    ...rest,
    ...customer,
    merchantId,
    sessionId,
    kind: 'payment',
    newCustomerId: newId('customer'),
    orderId: newId('order'),
    chargeId: newId('charge'),
    lineItemId: newId('lineItem'),
    openedBy: sessionId,
    payeeName: payee.name,
    payeeNetworkName: payee.networkName,
    payeeUrl: payee.url,
    payeeCountry: payee.country,
    payeeCategoryCode: payee.categoryCode,
    payeeCategory: payee.category,
    products: products.map((product) => ({ ref: newId('product'), ...product })),
    launchHash: hashLaunchSecret(deps.launchSecretsKey, sessionId, launchSecret),
    at,
    expiresAt: addSeconds(at, deps.lifetimeSeconds),
  }
}
