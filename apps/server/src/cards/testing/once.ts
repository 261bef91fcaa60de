import { expect } from 'vitest'
import { type Cardholder, cardholder, newAuthenticator } from '../../../test/cardholder.ts'
import { CARDS, createSession, dbRow, newUser, paymentResult, report } from '../../../test/flows.ts'
import { sessionRow } from '../../../test/rows/sessions.ts'
import { countOfWork } from '../../../test/rows/work.ts'
import type { Answer, TestMerchant, TestService } from '../../../test/service.ts'

// Cardholders who enter a card for one payment alone.

export interface Visit {
  user: string
  sessionId: string
  page: Cardholder
  authenticator: ReturnType<typeof newAuthenticator>
  enter(number?: string, changes?: object): Promise<Answer>
}

/** A payment session of this user, at the page. */
export async function visit(
  service: TestService,
  {
    merchant = service.merchant,
    user = newUser(),
    authenticator = newAuthenticator(service),
    changes = {},
  }: {
    merchant?: TestMerchant
    user?: string
    authenticator?: ReturnType<typeof newAuthenticator>
    changes?: Record<string, unknown>
  } = {},
): Promise<Visit> {
  const session = await createSession(merchant, { user_id: user, user_email: `${user}@example.com`, ...changes })
  const page = cardholder(service, session.session_token, authenticator)
  const expiry = { expiry_month: '12', expiry_year: String(service.clock.now().getUTCFullYear() + 3), cvv: '123' }
  const enter = (card_number: string = CARDS.success, more: object = { once: true }) =>
    page.post('/api/cards', { card_number, ...expiry, ...more })
  return { user, sessionId: session.session_id, page, authenticator, enter }
}

/** Which card a session has chosen. */
export async function cardOf(service: TestService, sessionId: string): Promise<string> {
  return (await sessionRow(service.pool, sessionId)).card_id
}

/** The passkey if there is none yet, then the approval. */
export async function approve({ page }: Visit): Promise<Answer> {
  const { body } = await page.get('/api/session')
  if (body.step === 'passkey_registration') await page.registerPasskey()
  return page.approve()
}

/** Enters a card just this once, and approves; returns the card. */
export async function payOnce(service: TestService, visitor: Visit, number?: string): Promise<string> {
  const entered = await visitor.enter(number)
  expect(entered.body).toMatchObject({ card_once: true })
  const id = await cardOf(service, visitor.sessionId)
  await approve(visitor)
  return id
}

/** Reports the one line item of a session. */
export async function reportItem(merchant: TestMerchant, sessionId: string, txn_status = 'APPROVED'): Promise<void> {
  const { body } = await paymentResult(merchant, sessionId)
  const { txn_ref_id } = body.transactions[0].line_items[0]
  const reported = await report(merchant, sessionId, { txn_ref_id, txn_status })
  expect(reported.status, JSON.stringify(reported.body)).toBe(200)
}

/** Where a card stands, and what is left of it. */
export async function standing(service: TestService, cardId: string) {
  return dbRow(
    service,
    `select c.status, c.once_sessions, c.ending_reason, c.deletion_reason, c.is_default, c.vault_record_id is not null as number,
       array(select t.state from simnet.tokens t where t.card_id = c.id or t.card_id like c.id || '.%' order by t.card_id) as tokens,
       ${countOfWork('c.id', 'deletion')} as work
     from cards c where c.id = $1`,
    [cardId],
  )
}

export const GONE = { status: 'deleted', once_sessions: null, ending_reason: null, number: false, work: 0 }
