import { type EnterCardRequest, PAYMENT_FAILURES, type SurfaceCard, type SurfaceView } from '@mintmark/contract'
import type { Pool } from 'pg'
import type { Card, CardOwner, CardService } from '../cards/service.ts'
import type { SurfaceCaller } from '../http/route.ts'
import type { Merchant, MerchantService } from '../merchants/service.ts'
import type { CeremonyScope, PasskeyService } from '../passkeys/service.ts'
import type { Clock } from '../platform/clock.ts'
import { addSeconds } from '../platform/clock.ts'
import { PublicError } from '../platform/errors.ts'
import { amountFromMinor } from '../platform/money.ts'
import {
  sessionChanged,
  sessionExpired,
  sessionNotFound,
  sessionRevoked,
  sessionTokenInvalid,
} from '../sessions/errors.ts'
import type { SessionRow, SessionService } from '../sessions/service.ts'
import type { Vault } from '../vault/service.ts'
import { stepOf } from './rules.ts'

/** What the cardholder's page may ask for. Every call answers where the cardholder stands now. */
export interface SurfaceService {
  launch(
    merchantId: string,
    sessionId: string,
    launchSecret: string,
  ): Promise<{ sessionToken: string; view: SurfaceView }>
  view(caller: SurfaceCaller): Promise<SurfaceView>
  enterCard(caller: SurfaceCaller, input: EnterCardRequest): Promise<SurfaceView>
  selectCard(caller: SurfaceCaller, cardId: string): Promise<SurfaceView>
  verifyCard(caller: SurfaceCaller, code: string): Promise<SurfaceView>
  registrationOptions(caller: SurfaceCaller, embedded: boolean): Promise<object>
  register(caller: SurfaceCaller, response: unknown): Promise<SurfaceView>
  approvalOptions(caller: SurfaceCaller, embedded: boolean): Promise<object>
  approve(caller: SurfaceCaller, response: unknown): Promise<SurfaceView>
  cancel(caller: SurfaceCaller): Promise<SurfaceView>
}

export interface SurfaceDeps {
  pool: Pool
  clock: Clock
  environment: 'sandbox' | 'production'
  sessions: SessionService
  cards: CardService
  passkeys: PasskeyService
  vault: Pick<Vault, 'findRecord'>
  merchants: MerchantService
}

/** How long the page of a session that is over may still read how it ended. */
const READABLE_AFTER_END_SECONDS = 900

export function createSurfaceService(deps: SurfaceDeps): SurfaceService {
  const { sessions, cards, passkeys } = deps
  /** Runs a step of a session that is still open, then answers where it stands. */
  const step = async (caller: SurfaceCaller, work: (session: SessionRow, owner: CardOwner) => Promise<unknown>) => {
    const session = await loadOpen(deps, caller)
    await work(session, { merchantId: caller.merchantId, customerId: caller.customerId })
    return viewOf(deps, await sessions.load(caller))
  }
  const bind = async (caller: SurfaceCaller, card: Card | null) => {
    if (!(await sessions.bindCard(caller, card?.id ?? null))) throw sessionChanged()
  }
  return {
    launch: (merchantId, sessionId, launchSecret) => launch(deps, merchantId, sessionId, launchSecret),
    view: async (caller) => viewOf(deps, await loadReadable(deps, caller)),
    enterCard: (caller, input) =>
      step(caller, async (session, owner) => {
        await bind(caller, await enterCard(deps, session, owner, input))
      }),
    selectCard: (caller, cardId) =>
      step(caller, async (_session, owner) => bind(caller, await cards.getActive(deps.pool, owner, cardId))),
    verifyCard: (caller, code) => step(caller, (session, owner) => verifyCard(deps, session, owner, code)),
    async registrationOptions(caller, embedded) {
      const session = await loadOpen(deps, caller)
      const merchant = await merchantOf(deps, caller.merchantId)
      return passkeys.registrationOptions(scopeOf(caller, merchant), { embedded, userLabel: session.payee_name })
    },
    register: (caller, response) =>
      step(caller, async () => passkeys.register(scopeOf(caller, await merchantOf(deps, caller.merchantId)), response)),
    async approvalOptions(caller, embedded) {
      await loadOpen(deps, caller)
      return sessions.approvalOptions(scopeOf(caller, await merchantOf(deps, caller.merchantId)), embedded)
    },
    approve: (caller, response) =>
      step(caller, async () => sessions.approve(scopeOf(caller, await merchantOf(deps, caller.merchantId)), response)),
    cancel: (caller) => step(caller, () => sessions.cancel(caller)),
  }
}

async function launch(deps: SurfaceDeps, merchantId: string, sessionId: string, launchSecret: string) {
  const session = await deps.sessions.load({ merchantId, sessionId })
  // A wrong secret reads like an unknown session: nobody learns which ids exist.
  if (!deps.sessions.launchMatches(session, launchSecret)) throw sessionNotFound()
  rejectEnded(deps, session)
  return { sessionToken: await deps.sessions.issueToken(session), view: await viewOf(deps, session) }
}

/** Revoked, expired and long finished sessions show nothing any more, on any call. */
function rejectEnded(deps: SurfaceDeps, session: SessionRow): void {
  if (session.failure_code === 'SESSION_REVOKED') throw sessionRevoked()
  if (session.failure_code === 'SESSION_EXPIRED') throw sessionExpired()
  if (session.ended_at !== null && addSeconds(session.ended_at, READABLE_AFTER_END_SECONDS) < deps.clock.now()) {
    throw sessionExpired()
  }
}

async function loadReadable(deps: SurfaceDeps, caller: SurfaceCaller): Promise<SessionRow> {
  const session = await deps.sessions.load(caller).catch((error: unknown) => {
    throw error instanceof PublicError && error.code === 'NOT_FOUND' ? sessionTokenInvalid() : error
  })
  if (session.customer_id !== caller.customerId) throw sessionTokenInvalid()
  rejectEnded(deps, session)
  return session
}

/** For everything that changes something: once the session has ended its token is worth nothing. */
async function loadOpen(deps: SurfaceDeps, caller: SurfaceCaller): Promise<SessionRow> {
  const session = await loadReadable(deps, caller)
  if (session.status === 'completed' || session.status === 'failed') throw sessionExpired()
  return session
}

async function enterCard(deps: SurfaceDeps, session: SessionRow, owner: CardOwner, input: EnterCardRequest) {
  if (session.status !== 'pending') throw sessionChanged()
  const record = session.preselected_vault_record_id
  if (input.card_number === undefined && record !== null) return deps.cards.enterRecord(owner, record, input.cvv)
  return deps.cards.enter(owner, input)
}

async function verifyCard(deps: SurfaceDeps, session: SessionRow, owner: CardOwner, code: string): Promise<void> {
  if (session.status !== 'pending' || session.card_id === null) throw sessionChanged()
  try {
    await deps.cards.verify(owner, session.card_id, code)
  } catch (error) {
    // The network will not have this card any more: the cardholder chooses again.
    if (error instanceof PublicError && error.code === 'CARD_REFUSED') {
      await deps.sessions.bindCard({ merchantId: session.merchant_id, sessionId: session.id }, null)
    }
    throw error
  }
}

async function merchantOf(deps: SurfaceDeps, merchantId: string): Promise<Merchant> {
  const merchant = await deps.merchants.findMerchant(deps.pool, merchantId)
  if (merchant === undefined) throw sessionTokenInvalid()
  return merchant
}

function scopeOf(caller: SurfaceCaller, merchant: Merchant): CeremonyScope {
  return { ...caller, allowedOrigins: merchant.allowedOrigins }
}

async function viewOf(deps: SurfaceDeps, session: SessionRow): Promise<SurfaceView> {
  const owner = { merchantId: session.merchant_id, customerId: session.customer_id }
  const { id: sessionId } = session
  const outcome = deps.sessions.outcomeFor(session)
  const merchant = await merchantOf(deps, session.merchant_id)
  const card = session.card_id === null ? null : ((await deps.cards.find(deps.pool, owner, session.card_id)) ?? null)
  const open = session.status === 'pending'
  const saved = open ? await deps.cards.listActive(deps.pool, owner) : []
  const hasPasskey = open && (await deps.passkeys.hasPasskey(scopeOf({ ...owner, sessionId }, merchant)))
  const vaultRecordPreselected = session.preselected_vault_record_id !== null
  return {
    session_id: sessionId,
    step: stepOf({ status: session.status, outcome, card, vaultRecordPreselected, hasPasskey }),
    outcome,
    failure: outcome === 'failed' ? failureOf(session) : null,
    integration_type: session.integration_type,
    allowed_origins: [...merchant.allowedOrigins],
    return_url: deps.sessions.returnUrl(session),
    expires_at: session.expires_at.toISOString(),
    now: deps.clock.now().toISOString(),
    environment: deps.environment,
    payment: paymentOf(session),
    cards: saved.map(toWireCard),
    card: card === null || card.status === 'deleted' ? null : toWireCard(card),
    card_on_file: card === null && open ? await cardOnFile(deps, session) : null,
    has_passkey: hasPasskey,
  }
}

function failureOf(session: SessionRow) {
  const code = session.failure_code ?? 'PAYMENT_FAILED'
  return { code, message: PAYMENT_FAILURES[code] }
}

function paymentOf(session: SessionRow): SurfaceView['payment'] {
  return {
    merchant_name: session.payee_name,
    merchant_url: session.payee_url,
    amount: amountFromMinor(session.amount_minor),
    currency: session.currency,
    description: session.description,
    products: session.products.map(({ name, unitPrice, quantity }) => ({ name, unit_price: unitPrice, quantity })),
  }
}

/** What the vault knows, without opening anything, of the card the merchant preselected. */
async function cardOnFile(deps: SurfaceDeps, session: SessionRow): Promise<SurfaceView['card_on_file']> {
  const recordId = session.preselected_vault_record_id
  const record = recordId === null ? undefined : await deps.vault.findRecord(deps.pool, session.merchant_id, recordId)
  if (record === undefined) return null
  return {
    card_last4: record.last4,
    card_brand: record.brand,
    card_exp_month: record.expMonth,
    card_exp_year: record.expYear,
  }
}

function toWireCard(card: Card): SurfaceCard {
  return {
    card_id: card.id,
    card_last4: card.last4,
    card_brand: card.brand,
    card_exp_month: card.exp_month,
    card_exp_year: card.exp_year,
  }
}
