import type { CheckoutAnswer } from '../port.ts'
import { type AcpSession, acpHeaders, isUnclear, readError, readSession, reasonOf } from './acp-wire.ts'
import { ok, refused } from './answers.ts'
import type { ShopConnection, ShopReply } from './connection.ts'
import { isForeignId } from './foreign.ts'
import { malformed, NoAnswer } from './no-answer.ts'

export const SESSIONS = 'checkout_sessions'

/** A session as it stands. */
export async function retrieve(shop: ShopConnection, shopRef: string): Promise<CheckoutAnswer<AcpSession>> {
  if (!isForeignId(shopRef)) return refused('not_found')
  const reply = await shop.ask({ method: 'GET', path: [SESSIONS, shopRef], headers: acpHeaders() })
  return reply.isOk ? ok(sessionOf(reply.body, shopRef)) : refusalOf(reply)
}

/** The session that was asked for, and no other. */
export function sessionOf(body: unknown, shopRef: string): AcpSession {
  const session = readSession(body)
  const { checkout_session_id: ofOrder = shopRef } = session.order ?? {}
  if (session.id !== shopRef || ofOrder !== shopRef) throw malformed()
  return session
}

/** The protocol's error as a refusal. Throws where it says nothing of what was asked. */
export function refusalOf<T>({ status, body }: ShopReply): CheckoutAnswer<T> {
  const { code } = readError(body)
  if (isUnclear(code)) throw new NoAnswer(`HTTP ${status}: not processed`)
  return refused(status === 404 ? 'not_found' : reasonOf(code))
}
