import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { Pool } from 'pg'
import { single } from '../../db/command.ts'
import { nullable, object, text } from '../../db/row.ts'
import { one } from '../../db/statement.ts'
import type { Clock } from '../../platform/clock.ts'
import {
  CLAIM_CHALLENGE,
  CLAIMED,
  CLAIMED_CHALLENGE,
  insertChallenge,
  ownPasskey,
  PASSKEY,
  STORE_PASSKEY,
} from '../fragments.ts'
import type { CeremonyScope, Known, Passkey, PasskeyService, VerifiedAssertion } from '../service.ts'

/** Ceremonies from beginning to end, as a subject makes them of the service and its parts of statements. */
export interface Ceremonies {
  findOwn(customer: { merchantId: string; customerId: string }): Promise<Passkey | null>
  registrationOptions(
    scope: CeremonyScope,
    asked: { embedded: boolean; userLabel: string },
  ): Promise<PublicKeyCredentialCreationOptionsJSON>
  /** As if the subject had shown enough for a first passkey, and not for another one. */
  register(scope: CeremonyScope, response: unknown): Promise<{ passkeyId: string }>
  assertionOptions(
    scope: CeremonyScope,
    asked: { embedded: boolean; text: string },
  ): Promise<PublicKeyCredentialRequestOptionsJSON>
  /** Uses up the challenge of an assertion, and reads whose passkey may answer. */
  claim(scope: CeremonyScope, challenge: string): Promise<Known>
  verify(scope: CeremonyScope, response: unknown): Promise<VerifiedAssertion>
  deleteExpiredChallenges(limit: number): Promise<number>
}

const findOwn = one('toys.find_passkey', `select (${ownPasskey('$customerId')}) as passkey`, {
  passkey: nullable(object(PASSKEY)),
})
const claimChallenge = one(
  'toys.claim_challenge',
  `with ${CLAIM_CHALLENGE} select (${CLAIMED}) as claimed, (${ownPasskey('$customerId')}) as passkey`,
  { claimed: CLAIMED_CHALLENGE, passkey: nullable(object(PASSKEY)) },
)
const issueChallenge = one('toys.issue_challenge', insertChallenge(''), { challenge: text })
const storePasskey = one(
  'toys.store_passkey',
  `with admitted as (select false as may_replace), ${STORE_PASSKEY} select replaces from stored`,
  { replaces: nullable(text) },
)

export function createCeremonies({
  pool,
  clock,
  passkeys,
}: {
  pool: Pool
  clock: Clock
  passkeys: PasskeyService
}): Ceremonies {
  const find = async ({ merchantId, customerId }: { merchantId: string; customerId: string }) =>
    (await findOwn(pool, { merchantId, customerId, at: clock.now() }))?.passkey ?? null
  const writing = <T>(write: Parameters<typeof single<T>>[2]) =>
    single({ pool, clock }, { name: 'toys.ceremony', silent: 'test_only' }, write)
  const claim = async (scope: CeremonyScope, ceremony: 'registration' | 'assertion', challenge: string) => {
    const { merchantId, customerId, subject } = scope
    const place = { merchantId, customerId, subjectType: subject.type, subjectId: subject.id }
    const known = await writing(({ on, at }) => claimChallenge(on, { ...place, ceremony, challenge, at }))
    if (known === undefined) throw new Error('There is always a row.')
    return known
  }
  return {
    findOwn: find,
    async registrationOptions(scope, { embedded, userLabel }) {
      const passkey = await find(scope)
      const { challenge } = await writing(async ({ on, at }) => {
        const row = passkeys.registrationChallenge(scope, embedded, at)
        await issueChallenge(on, row)
        return row
      })
      return passkeys.registrationOptions(scope, passkey, { challenge, userLabel })
    },
    async register(scope, response) {
      const answer = passkeys.readRegistration(response)
      const { claimed } = await claim(scope, 'registration', answer.clientData.challenge)
      const { id } = await passkeys.register(scope, answer, claimed, {
        silent: 'test_only',
        store: ({ on, at }, row) => storePasskey(on, { ...row, at }),
      })
      return { passkeyId: id }
    },
    assertionOptions: async (scope, asked) => passkeys.assertionOptions(scope, await find(scope), asked),
    claim: (scope, challenge) => claim(scope, 'assertion', challenge),
    async verify(scope, response) {
      const answer = passkeys.readAssertion(response)
      return passkeys.verify(scope, answer, await claim(scope, 'assertion', answer.clientData.challenge))
    },
    deleteExpiredChallenges: (limit) => passkeys.deleteExpiredChallenges(limit),
  }
}
