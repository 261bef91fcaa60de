import { afterAll, beforeAll, expect, test } from 'vitest'
import { complete, createEnrollment, enroll, enrollmentStatus, newUser, vaultRecord } from '../../../../test/flows.ts'
import { startTestService, type TestService } from '../../../../test/service.ts'
import { type Behaviour, TEST_CARDS } from '../../../network/simulator/test-cards.ts'

// Guarantee: every test card does in an enrollment what the guide says of it, with its cardholder and without.

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { NETWORK_TIMEOUT_MS: '1000', RATE_LIMIT_ENROLLMENT: '100000' } })
})
afterAll(() => service?.close())

/**
 * What a card does when it is enrolled: the error of the first try, whether another one helps, and the answer without
 * cardholder.
 */
interface Told {
  status: 'completed' | 'requires_action' | 'failed'
  error?: string
  again?: 'completed' | 'requires_action' | 'failed'
  alone: 'card' | string
}

const WORKS: Told = { status: 'completed', alone: 'card' }
const fails = (error: string, status: 'requires_action' | 'failed', alone: string): Told => ({ status, error, alone })

/** Keyed by the behaviours, so that a new one does not compile until it is said here. */
const TOLD: Record<Behaviour, Told> = {
  success: WORKS,
  step_up: WORKS,
  bin_country_refused: fails('BIN_COUNTRY_NOT_ALLOWED', 'failed', 'BIN_COUNTRY_NOT_ALLOWED'),
  bin_issuer_refused: fails('BIN_ISSUER_NOT_ALLOWED', 'failed', 'BIN_ISSUER_NOT_ALLOWED'),
  cvv_mismatch: fails('CVV_MISMATCH', 'requires_action', 'CARD_REFUSED'),
  card_declined: fails('CARD_DECLINED', 'requires_action', 'CARD_REFUSED'),
  provision_answer_lost: {
    ...fails('NETWORK_UNAVAILABLE', 'requires_action', 'NETWORK_UNAVAILABLE'),
    again: 'completed',
  },
  device_binding_fails_once: {
    ...fails('DEVICE_BINDING_FAILED', 'requires_action', 'card'),
    again: 'completed',
  },
  insufficient_funds: WORKS,
  do_not_honour: WORKS,
  instruction_refused: WORKS,
  instruction_answer_lost: WORKS,
  mint_declined: WORKS,
  mint_answer_lost: WORKS,
  mint_request_lost: WORKS,
  mint_hangs: WORKS,
  confirmation_fails_once: WORKS,
  confirmation_refused: WORKS,
  deletion_fails_once: WORKS,
  deletion_answer_lost: WORKS,
  release_fails_once: WORKS,
  release_answer_lost: WORKS,
  credential_expired: WORKS,
}

test.each(TEST_CARDS.map(({ number, label, behaviour }) => ({ number, label, behaviour })))(
  '$number: $label',
  async ({ number: card_number, behaviour }) => {
    const { merchant } = service
    const { status, error, again, alone } = TOLD[behaviour]
    const { session_id } = await createEnrollment(merchant)
    await complete(merchant, session_id, { card_number })
    const { body } = await enrollmentStatus(merchant, session_id)
    expect(body).toMatchObject({ status, outcome: status === 'completed' ? 'fully_enrolled' : 'not_started' })
    expect(body.error?.code).toBe(error)
    expect(body.error?.retryable).toBe(error === undefined ? undefined : status === 'requires_action')
    if (again !== undefined) {
      await complete(merchant, session_id, { card_number })
      expect((await enrollmentStatus(merchant, session_id)).body).toMatchObject({ status: again, error: null })
    }
    const vault_ref_id = await vaultRecord(merchant, { card_number })
    const provisioned = await enroll(merchant, { user_id: newUser(), vault_ref_id })
    expect(provisioned.body.error?.code ?? 'card').toBe(alone)
  },
)
