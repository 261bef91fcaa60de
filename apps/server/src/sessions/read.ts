import { type Card, findCard } from '../cards/service.ts'
import { readTogether } from '../db/pipeline.ts'
import type { Queryable } from '../db/statement.ts'
import type { Passkey } from '../passkeys/service.ts'
import { findRecord, type VaultRecord } from '../vault/service.ts'
import type { SessionDeps, SessionRef } from './deps.ts'
import { isOpen, type ReadAs, readAsOf } from './rules.ts'
import type { Session } from './store.ts'
import * as store from './store.ts'
import { findChosen, findOthers, findPasskey, listUsable, type SavedCard } from './surface-store.ts'
import type { SurfaceCaller } from './token.ts'

// How sessions are read: each by the text of its kind, and beside it what a step looks at.

/** A session, and how it is read where that is known. */
export type ReadRef = SessionRef & { readAs?: ReadAs | undefined }

const FIND = {
  payment: store.findPayment,
  quoted_payment: store.findQuotedPayment,
  mandate_setup: store.findSetup,
  enrollment: store.findEnrollment,
} satisfies Record<ReadAs, unknown>

/** A session with its subject. Where it is not known how it is read, it is asked for as what most are. */
export async function find(on: Queryable, { merchantId, sessionId, readAs }: ReadRef): Promise<Session | undefined> {
  const place = { merchantId, sessionId }
  if (readAs !== undefined) return FIND[readAs](on, place)
  const payment = await store.findPayment(on, place)
  if (payment === undefined) return (await store.findSetup(on, place)) ?? store.findEnrollment(on, place)
  // Read again as a whole: charge and purchase are of one moment.
  return payment.quoteId === null ? payment : store.findQuotedPayment(on, place)
}

/** The caller that holds the token of a session that was read. */
export function callerOf(session: Session): SurfaceCaller {
  const { merchantId, id: sessionId, customerId } = session
  return { merchantId, sessionId, customerId, readAs: readAsOf(session) }
}

/** With the card that it is to be approved with. */
export type WithCard<S extends Session = Session> = S & { card: Card | null }
/** What is approved, with what, and by whom. */
export type ToSign<S extends Session = Session> = WithCard<S> & { passkey: Passkey | null }
/** A session with all that a step of the cardholder's page looks at or shows. */
export type SurfaceSession = ToSign & {
  /** The cards that may be used while the session is open. */
  saved: readonly SavedCard[]
  /** What is known of the preselected vault record, while it is to be shown. */
  record: VaultRecord | null
  /** Other cards than the chosen one belong to a passkey of the customer; said of one that may be replaced. */
  othersHavePasskey: boolean
}

type Chosen = Promise<Card | undefined>

/** `chosen`: the card that it has, where that is not to be read; here as below. */
export async function findWithCard(
  on: Queryable,
  caller: SurfaceCaller,
  chosen?: Chosen,
): Promise<WithCard | undefined> {
  const [session, card] = await Promise.all([find(on, caller), chosen ?? findChosen(on, caller)])
  return session && withCard(on, session, card)
}

/** With the card that the session names as it was read; another may have been chosen since. */
async function withCard(on: Queryable, session: Session, chosen: Card | undefined): Promise<WithCard> {
  const { merchantId, customerId, cardId } = session
  if (cardId === null) return Object.assign(session, { card: null })
  const card = chosen?.id === cardId ? chosen : await findCard(on, { merchantId, customerId, cardId })
  return Object.assign(session, { card: card ?? null })
}

type ReadDeps = Pick<SessionDeps, 'pool' | 'clock'>

export async function findToSign(
  { clock }: Pick<ReadDeps, 'clock'>,
  on: Queryable,
  caller: SurfaceCaller,
  chosen?: Chosen,
): Promise<ToSign | undefined> {
  const passkeyRef = { ...caller, at: clock.now() }
  const [session, passkey = null] = await Promise.all([findWithCard(on, caller, chosen), findPasskey(on, passkeyRef)])
  return session && Object.assign(session, { passkey })
}

/** All that the page shows: in one trip, but for what few sessions have. */
export async function findOnSurface(deps: ReadDeps, caller: SurfaceCaller): Promise<SurfaceSession | undefined> {
  const shown = await readTogether(deps.pool, (on) => findShown(deps, on, caller))
  return shown && withRest(deps, shown)
}

/** What the page shows of every session. */
export async function findShown(
  deps: Pick<ReadDeps, 'clock'>,
  on: Queryable,
  caller: SurfaceCaller,
  chosen?: Chosen,
): Promise<ShownSession | undefined> {
  const [session, saved] = await Promise.all([findToSign(deps, on, caller, chosen), listUsable(on, caller)])
  return session && Object.assign(session, { saved })
}

/** The same of a session of which nothing is known: a new customer has no cards, and is not asked for them. */
export async function findLaunched(deps: ReadDeps, ref: SessionRef): Promise<SurfaceSession | undefined> {
  const at = deps.clock.now()
  const [session, passkey = null] = await readTogether(deps.pool, (on) =>
    Promise.all([find(on, ref), findPasskey(on, { ...ref, at })]),
  )
  if (session === undefined) return undefined
  const hasCards = passkey !== null || session.cardId !== null || session.provenCardId !== null
  const [{ card }, saved] = hasCards
    ? await readTogether(deps.pool, (on) =>
        Promise.all([withCard(on, session, undefined), listUsable(on, callerOf(session))]),
      )
    : [{ card: null }, []]
  return withRest(deps, Object.assign(session, { card, passkey, saved }))
}

export type ShownSession = Session & Pick<SurfaceSession, 'card' | 'passkey' | 'saved'>

/** What few need: it is asked for where it is looked at. */
export async function withRest({ pool }: Pick<ReadDeps, 'pool'>, session: ShownSession): Promise<SurfaceSession> {
  const { merchantId, customerId, cardId, card, passkey, preselectedVaultRecordId: recordId } = session
  const isShown = isOpen(session)
  const record = isShown && card === null && recordId !== null && (await findRecord(pool, { merchantId, recordId }))
  const others = isShown && passkey?.released && (await findOthers(pool, { merchantId, customerId, cardId }))
  const othersHavePasskey = others ? others.othersHavePasskey : false
  return Object.assign(session, { record: record || null, othersHavePasskey })
}
