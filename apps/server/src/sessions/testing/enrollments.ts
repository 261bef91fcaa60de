import { expect } from 'vitest'
import { cardholder } from '../../../test/cardholder.ts'
import { complete, createEnrollment, enrollmentStatus, eventBodies, expectError, revoke } from '../../../test/flows.ts'
import type { Answer, TestMerchant, TestService } from '../../../test/service.ts'

// What tests of enrollments look at.

const FIELDS = ['card_id', 'consent_status', 'error', 'outcome', 'passkey', 'session_id', 'status']

export const NOTHING = { status: 'requires_action', outcome: 'not_started', card_id: null, passkey: null, error: null }
export const PROVISIONED = { ...NOTHING, outcome: 'card_provisioned', card_id: expect.stringMatching(/^card_/) }
export const retryable = (code: string) => ({ code, message: expect.stringMatching(/\.$/), retryable: true })
export const final = (code: string) => ({ ...retryable(code), retryable: false })

/** The status, which has the same fields in every state. */
export async function statusOf(merchant: TestMerchant, sessionId: string) {
  const answer = await enrollmentStatus(merchant, sessionId)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  expect(Object.keys(answer.body).sort()).toEqual(FIELDS)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  return answer.body
}

/** A new enrollment with its cardholder. */
export async function start(service: TestService, body: Record<string, unknown> = {}) {
  const created = await createEnrollment(service.merchant, body)
  return { ...created, id: created.session_id, visitor: cardholder(service, created.session_token) }
}

/** The bodies of the events of a session and of its enrollment. */
export async function eventsOf(service: TestService, sessionId: string) {
  return (await eventBodies(service, sessionId)).map((body) => JSON.parse(body))
}

/** It is over, and stays what it is whatever is tried and however late it is read; returns its events. */
export async function expectEnded(
  service: TestService,
  sessionId: string,
  status: string,
  outcome: string,
  error: unknown = null,
) {
  const { merchant } = service
  expect(await statusOf(merchant, sessionId)).toMatchObject({ session_id: sessionId, status, outcome, error })
  await complete(merchant, sessionId)
  expectError(await revoke(merchant, sessionId), 400, 'INVALID_STATE')
  expect(await statusOf(merchant, sessionId)).toMatchObject({ status, outcome, error })
  return (await eventsOf(service, sessionId)).filter(({ type }) => type !== 'session.revoked')
}

export function createOptions(visitor: ReturnType<typeof cardholder>): Promise<Answer> {
  return visitor.post('/api/passkeys/registration-options', { frame: { embedded: false } })
}
