import type { ApprovalTerms } from '@mintmark/contract'
import { rollback, transaction } from '../../db/transaction.ts'
import type { AuthenticatorOverrides } from '../../passkeys/testing/hostile-authenticator.ts'
import type { Person, World } from '../../passkeys/testing/world.ts'
import { createApprovalService, type VerifiedApproval } from '../service.ts'

/** Terms, as far as these tests look at them. */
export const TERMS = termsFrom({ payee: 'Shop', amount: '40.00', currency: 'USD', card_last4: '4242' })

/** Any JSON in the place of terms: what they say does not matter to the signature. */
function termsFrom(value: object): ApprovalTerms {
  return value as ApprovalTerms
}

/** What tests of approvals do over and over: ask, sign, record. */
export function createApproving(world: World) {
  const approvals = createApprovalService({ passkeys: world.service })
  const ask = (person: Person, terms: object = TERMS, embedded = false) =>
    approvals.request(person.scope, { embedded, terms: termsFrom(terms) })
  const stored = async ({ scope, authenticator }: Person) => {
    const { rows } = await world.pool.query('select * from passkeys where merchant_id = $1 and id = $2', [
      scope.merchantId,
      authenticator.credentialId,
    ])
    return rows[0]
  }
  return {
    approvals,
    ask,
    async approve(person: Person, overrides: AuthenticatorOverrides = {}, embedded = false) {
      const { options } = await ask(person, TERMS, embedded)
      return approvals.verify(person.scope, person.authenticator.authenticate(options, overrides))
    },
    /** In a transaction of its own, which is rolled back when nothing was recorded. */
    async record(person: Person, verified: VerifiedApproval): Promise<boolean> {
      const done = await transaction(world.pool, async (tx) => {
        const recorded = await approvals.record({ tx, at: world.clock.now() }, person.scope, verified)
        return recorded ? true : rollback
      })
      return done === true
    },
    flaggedAt: async (person: Person): Promise<Date | null> => (await stored(person)).flagged_at,
    signCount: async (person: Person): Promise<bigint> => (await stored(person)).sign_count,
    async countApprovals({ scope }: Person): Promise<number> {
      const { rowCount } = await world.pool.query('select from approvals where merchant_id = $1', [scope.merchantId])
      return rowCount ?? 0
    },
  }
}
