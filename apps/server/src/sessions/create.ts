import { agentRevoked } from '../agents/errors.ts'
import { cardInactive, cardNotFound } from '../cards/errors.ts'
import { quoteAlreadyUsed } from '../checkout/quotes/errors.ts'
import type { Creation } from '../db/create-once.ts'
import type { Queryable } from '../db/statement.ts'
import { endOf, oneTimeEnd } from '../mandates/service.ts'
import { allowanceExhausted, configMissing, merchantLookupFailed } from '../merchants/errors.ts'
import { addSeconds } from '../platform/clock.ts'
import type { DeclaredError } from '../platform/errors.ts'
import { newId, newOrderedId } from '../platform/ids.ts'
import type { SessionDeps } from './deps.ts'
import { recurringMustBeScoped, sessionCreateError } from './errors.ts'
import { hashLaunchSecret, type Launch, launchUrl, newLaunch } from './launch.ts'
import { endWithMore } from './more-time.ts'
import type { MandateRequest, NamedCustomer, Owner, Purchase } from './purchase.ts'
import type { ReadAs } from './rules.ts'
import { type CreateRefusal, insertPayment, insertPlainPayment, insertSetup } from './store.ts'

export interface CreatedSession {
  sessionId: string
  sessionToken: string
  iframeUrl: string
  orderId: string
  expiresAt: Date
  /** For a setup: the mandate that waits for its approval. */
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

export function createPayment(deps: SessionDeps, merchantId: string, purchase: Purchase): Creation<CreatedSession> {
  const launch = newLaunch()
  const session = newPayment(deps, merchantId, purchase, launch, deps.clock.now())
  const grant = { ...session, ...launch, mandateId: null, readAs: 'payment' } as const
  return {
    name: 'sessions.create',
    silent: 'unapproved',
    by: async (run) => opened(deps, grant, await run((on) => insertOpen(on, session))),
  }
}

export function createSetup(
  deps: SessionDeps,
  merchantId: string,
  purchase: Purchase,
  setup: MandateRequest,
): Creation<CreatedSession> {
  const launch = newLaunch()
  const session = newSetup(deps, merchantId, purchase, setup, launch, deps.clock.now())
  const grant = { ...session, ...launch, readAs: 'mandate_setup' } as const
  return {
    name: 'sessions.create_setup',
    silent: 'unapproved',
    by: async (run) => opened(deps, grant, await run((on) => insertSetup(on, session))),
  }
}

type Grant = Pick<NewGrant, 'merchantId' | 'sessionId' | 'orderId' | 'at' | 'expiresAt'> & {
  mandateId: string | null
  launchSecret: string
  readAs: ReadAs
}

/** What its merchant is told of a session that was created; throws why it was not. */
export async function opened(
  deps: SessionDeps,
  { merchantId, sessionId, orderId, mandateId, launchSecret, readAs, at, expiresAt }: Grant,
  created: { refusal: CreateRefusal | null; customerId: string | null } | undefined,
): Promise<CreatedSession> {
  if (created === undefined) throw sessionCreateError()
  if (created.refusal !== null) throw REFUSALS[created.refusal]()
  if (created.customerId === null) throw sessionCreateError()
  const { customerId } = created
  const token = { merchantId, sessionId, customerId, orderId, readAs, issuedAt: at, expiresAt }
  const sessionToken = await deps.tokens.sign(token)
  const iframeUrl = launchUrl(deps.surfaceUrl, merchantId, sessionId, launchSecret)
  return { sessionId, sessionToken, iframeUrl, orderId, expiresAt, mandateId }
}

function asksForNoCard({ cardId, vaultRecordId }: NewPayment): boolean {
  return cardId === null && vaultRecordId === null
}

/** One statement, unless something is asked for or stands against it that the plain one does not know. */
async function insertOpen(on: Queryable, session: NewPayment) {
  const plain = asksForNoCard(session) ? await insertPlainPayment(on, session) : undefined
  return plain === undefined ? insertPayment(on, session) : { refusal: null, ...plain }
}

/** The values of `insertPayment`. */
export type NewPayment = ReturnType<typeof newPayment<NamedCustomer>>

export function newPayment<Customer extends NamedCustomer | Owner>(
  deps: GrantDeps,
  merchantId: string,
  purchase: Purchase<Customer>,
  launch: Launch,
  at: Date,
) {
  const grant = newGrant(deps, merchantId, purchase, launch, at)
  const subject = { chargeId: newId('charge'), lineItemId: newId('lineItem'), openedBy: grant.sessionId }
  return { ...grant, ...subject, kind: 'payment' }
}

/** The values of `insertSetup`. What the cardholder may approve of it, or less, is what the mandate will be. */
export function newSetup<Customer extends NamedCustomer | Owner>(
  deps: GrantDeps & Pick<SessionDeps, 'mandates'>,
  merchantId: string,
  purchase: Purchase<Customer>,
  { frequency, validUntil: asked, ...rest }: MandateRequest,
  launch: Launch,
  at: Date,
) {
  const grant = newGrant(deps, merchantId, purchase, launch, at)
  // For a one-time mandate the latest: it is counted from the approval.
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
  { sessionId, launchSecret }: Launch,
  at: Date,
) {
  const { customer, payee, products, ...rest } = purchase
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
