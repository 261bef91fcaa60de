import { agentRevoked } from '../../../agents/errors.ts'
import { cardInactive, cardNotFound } from '../../../cards/errors.ts'
import { quoteAlreadyUsed } from '../../../checkout/quotes/errors.ts'
import { command } from '../../../db/command.ts'
import type { Queryable } from '../../../db/statement.ts'
import { endOf, oneTimeEnd } from '../../../mandates/service.ts'
import { allowanceExhausted, configMissing, merchantLookupFailed } from '../../../merchants/errors.ts'
import { addSeconds } from '../../../platform/clock.ts'
import type { DeclaredError } from '../../../platform/errors.ts'
import { newId, newOrderedId } from '../../../platform/ids.ts'
import { type CreateRefusal, insertPayment, insertPlainPayment, insertSetup } from '../../create-store.ts'
import type { SessionDeps } from '../../deps.ts'
import { recurringMustBeScoped, sessionCreateError } from '../../errors.ts'
import { hashLaunchSecret, launchUrl, newLaunchSecret } from '../../launch.ts'
import { endWithMore } from '../../page/more-time.ts'
import type { MandateRequest, NamedCustomer, Owner, Purchase } from '../../purchase.ts'

export interface CreatedSession {
  sessionId: string
  sessionToken: string
  iframeUrl: string
  orderId: string
  expiresAt: Date
  /** The mandate of a setup, which waits for its approval. */
  mandateId: string | null
}

const REFUSALS: Record<CreateRefusal, DeclaredError> = {
  MERCHANT_LOOKUP_ERROR: merchantLookupFailed,
  CONFIG_ERROR: configMissing,
  CARD_NOT_FOUND: cardNotFound,
  CARD_INACTIVE: cardInactive,
  QUOTE_ALREADY_USED: quoteAlreadyUsed,
  TRIES_EXHAUSTED: allowanceExhausted,
  AGENT_REVOKED: agentRevoked,
}

/** An operator may forbid that a mandate that renews is good at any merchant. */
export function rejectUnscoped({ recurringMustBeScoped: isForbidden }: SessionDeps, setup: MandateRequest): void {
  if (isForbidden && setup.frequency !== 'one_time' && setup.merchantScope === 'any') throw recurringMustBeScoped()
}

export async function createPayment(
  deps: SessionDeps,
  merchantId: string,
  purchase: Purchase,
): Promise<CreatedSession> {
  const now = deps.clock.now()
  const launchSecret = newLaunchSecret()
  const session = newPayment(deps, merchantId, purchase, launchSecret, now)
  const why = 'A session that nobody approved is no payment yet.'
  const created = await command(deps, { name: 'sessions.create', why, together: 'statement' }, ({ on }) =>
    insertOpen(on, session),
  )
  return opened(deps, { ...session, mandateId: null, launchSecret, isPurchase: true }, created)
}

export async function createSetup(
  deps: SessionDeps,
  merchantId: string,
  purchase: Purchase,
  setup: MandateRequest,
): Promise<CreatedSession> {
  const launchSecret = newLaunchSecret()
  const session = newSetup(deps, merchantId, purchase, setup, launchSecret, deps.clock.now())
  const why = 'A mandate that nobody approved is none yet.'
  const created = await command(deps, { name: 'sessions.create_setup', why, together: 'statement' }, ({ on }) =>
    insertSetup(on, session),
  )
  return opened(deps, { ...session, launchSecret, isPurchase: false }, created)
}

type Grant = Pick<NewGrant, 'merchantId' | 'sessionId' | 'orderId' | 'at' | 'expiresAt'> & {
  mandateId: string | null
  launchSecret: string
  isPurchase: boolean
}

/** What its merchant is told of a session that was created; throws why it was not. */
export async function opened(
  deps: SessionDeps,
  { merchantId, sessionId, orderId, mandateId, launchSecret, isPurchase, at, expiresAt }: Grant,
  created: { refusal: CreateRefusal | null; customerId: string | null } | undefined,
): Promise<CreatedSession> {
  if (created === undefined) throw sessionCreateError()
  if (created.refusal !== null) throw REFUSALS[created.refusal]()
  if (created.customerId === null) throw sessionCreateError()
  const { customerId } = created
  const token = { merchantId, sessionId, customerId, orderId, isPurchase, issuedAt: at, expiresAt }
  const sessionToken = await deps.tokens.sign(token)
  const iframeUrl = launchUrl(deps.surfaceUrl, merchantId, sessionId, launchSecret)
  return { sessionId, sessionToken, iframeUrl, orderId, expiresAt, mandateId }
}

/** One statement, unless something is asked for or stands against it that the plain one does not know. */
async function insertOpen(on: Queryable, session: NewPayment) {
  const asksForNoCard = session.cardId === null && session.vaultRecordId === null
  const plain = asksForNoCard ? await insertPlainPayment(on, session) : undefined
  return plain === undefined ? insertPayment(on, session) : { refusal: null, ...plain }
}

/** The values of `insertPayment`. */
export type NewPayment = ReturnType<typeof newPayment<NamedCustomer>>

export function newPayment<Customer extends NamedCustomer | Owner>(
  deps: GrantDeps,
  merchantId: string,
  purchase: Purchase<Customer>,
  launchSecret: string,
  at: Date,
) {
  const grant = newGrant(deps, merchantId, purchase, launchSecret, at)
  const subject = { chargeId: newId('charge'), lineItemId: newId('lineItem') }
  return { ...grant, ...subject, kind: 'payment' }
}

/** The values of `insertSetup`. What the cardholder may approve of it, or less, is what the mandate will be. */
export function newSetup<Customer extends NamedCustomer | Owner>(
  deps: GrantDeps & Pick<SessionDeps, 'mandates'>,
  merchantId: string,
  purchase: Purchase<Customer>,
  { frequency, validUntil: asked, ...rest }: MandateRequest,
  launchSecret: string,
  at: Date,
) {
  const grant = newGrant(deps, merchantId, purchase, launchSecret, at)
  // The latest end of a one-time mandate: it is counted from the approval.
  const validUntil = frequency === 'one_time' ? oneTimeEnd(endWithMore(grant.expiresAt)) : endOf(frequency, asked, at)
  const mandateId = newOrderedId('mandate', at)
  const ownerSeal = deps.mandates.ownerSeal({ merchantId, id: mandateId, ...purchase.customer })
  return { ...grant, ...rest, kind: 'mandate_setup', mandateId, ownerSeal, frequency, validUntil }
}

type GrantDeps = Pick<SessionDeps, 'launchSecretsKey' | 'lifetimeSeconds'>
type NewGrant = ReturnType<typeof newGrant<NamedCustomer>>

function newGrant<Customer extends NamedCustomer | Owner>(
  deps: GrantDeps,
  merchantId: string,
  purchase: Purchase<Customer>,
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
    newCustomerId: newId('customer'),
    orderId: newId('order'),
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
