import type { ApprovalTerms } from '@mintmark/contract'
import type { Change } from '../../db/command.ts'
import { bigint } from '../../db/row.ts'
import { one } from '../../db/statement.ts'
import { rollback, transaction } from '../../db/transaction.ts'
import { lockSigning, USE_PASSKEY } from '../../passkeys/fragments.ts'
import type { CeremonyScope } from '../../passkeys/service.ts'
import type { AuthenticatorOverrides } from '../../passkeys/testing/hostile-authenticator.ts'
import type { Person, World } from '../../passkeys/testing/world.ts'
import { KEEP_EVIDENCE, NOT_APPROVED } from '../fragments.ts'
import { createApprovalService, type VerifiedApproval } from '../service.ts'

/** Terms, as far as these tests look at them. */
export const TERMS = termsFrom({ payee: 'Shop', amount: '40.00', currency: 'USD', card_last4: '4242' })

/** Any JSON in the place of terms: what they say does not matter to the signature. */
function termsFrom(value: object): ApprovalTerms {
  return value as ApprovalTerms
}

/** For a subject that makes nothing but its approval. */
const keepApproval = one(
  'toys.keep_approval',
  `with ${lockSigning('true')}, agreed as materialized (select 1 from signing where ${NOT_APPROVED}), ${USE_PASSKEY}, ${KEEP_EVIDENCE}
   select count(*) as agreed from agreed`,
  { agreed: bigint },
)

/** What tests of approvals do over and over: ask, sign, record. */
export function createApproving(world: World) {
  const service = createApprovalService({ passkeys: world.passkeys })
  const approvals = {
    async request({ scope }: Person, asked: { embedded: boolean; terms: ApprovalTerms }) {
      return service.request(scope, await world.service.findOwn(scope), asked)
    },
    async verify(scope: CeremonyScope, response: unknown) {
      const answer = world.passkeys.readAssertion(response)
      return service.verify(scope, answer, await world.service.claim(scope, answer.clientData.challenge))
    },
    /** False: nothing was written. */
    async record({ tx, at }: Change, scope: CeremonyScope, verified: VerifiedApproval): Promise<boolean> {
      return (await keepApproval(tx, { ...service.evidenceOf(scope, verified), at }))?.agreed === 1n
    },
  }
  const ask = (person: Person, terms: object = TERMS, embedded = false) =>
    approvals.request(person, { embedded, terms: termsFrom(terms) })
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
      const { rowCount } = await world.pool.query('select 1 from approvals where merchant_id = $1', [scope.merchantId])
      return rowCount ?? 0
    },
  }
}
