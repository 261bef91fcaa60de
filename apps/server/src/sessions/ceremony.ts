import { singleTogether } from '../db/command.ts'
import { readTogether } from '../db/pipeline.ts'
import type { Queryable } from '../db/statement.ts'
import { type Answer, type ClaimedChallenge, claimChallenge } from '../passkeys/service.ts'
import type { SessionDeps } from './deps.ts'
import { admit, open } from './grant.ts'
import { ownerOf } from './scope.ts'
import type { Session } from './store.ts'
import type { SurfaceCaller } from './token.ts'

interface Answered<S, Read> {
  session: S
  answer: Read
  claimed: ClaimedChallenge | null
}

/**
 * The caller's open session together with the challenge that their answer uses up, also when a later step fails. What is
 * wrong with the answer is said only to those whose session is open.
 */
export async function openAnswered<S extends Session, Read extends Answer<unknown>>(
  deps: SessionDeps,
  caller: SurfaceCaller,
  ceremony: 'registration' | 'assertion',
  find: (on: Queryable) => Promise<S | undefined>,
  read: () => Read,
): Promise<Answered<S, Read>> {
  let answer: Read
  try {
    answer = read()
  } catch (error) {
    await open(deps, caller)
    throw error
  }
  const { merchantId, subject } = ownerOf(caller)
  const place = { merchantId, subjectType: subject.type, subjectId: subject.id }
  const { challenge } = answer.clientData
  const [claimed = null, found] = await singleTogether(
    deps,
    { name: 'passkeys.claim_challenge', silent: 'challenge' },
    ({ on, at }) => claimChallenge(on, { ...place, ceremony, challenge, at }),
    find,
  )
  const readAgain = () => readTogether(deps.pool, find)
  return { session: await admit<S>(deps, caller, found, readAgain), answer, claimed }
}
