import { command } from '../../db/command.ts'
import type { Queryable } from '../../db/statement.ts'
import type { Answer, ClaimedChallenge } from '../../passkeys/service.ts'
import type { SessionDeps } from '../deps.ts'
import { authorize, open } from '../grant.ts'
import { ownerOf } from '../scope.ts'
import type { Session } from '../store.ts'
import type { SurfaceCaller } from '../token.ts'

interface Answered<S, Read> {
  session: S
  answer: Read
  claimed: ClaimedChallenge | null
}

/** How a challenge is used up, and what is read of its session together with that. */
export interface Claim<S extends Session> {
  ceremony: 'registration' | 'assertion'
  find: (on: Queryable, values: ClaimValues) => Promise<(S & { claimed: ClaimedChallenge | null }) | undefined>
}

interface ClaimValues {
  merchantId: string
  sessionId: string
  subjectType: string
  subjectId: string
  ceremony: string
  challenge: string
  at: Date
}

/**
 * The caller's open session together with the challenge that their answer uses up, also when a later step fails. What
 * is wrong with the answer is said only to those whose session is open.
 */
export async function openAnswered<S extends Session, Read extends Answer<unknown>>(
  deps: SessionDeps,
  caller: SurfaceCaller,
  { ceremony, find }: Claim<S>,
  readAgain: () => Promise<S | undefined>,
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
  const place = { merchantId, sessionId: subject.id, subjectType: subject.type, subjectId: subject.id }
  const { challenge } = answer.clientData
  const why = 'A used challenge is no change; what is approved with it is.'
  const found = await command(deps, { name: 'passkeys.claim_challenge', why, together: 'statement' }, ({ on, at }) =>
    find(on, { ...place, ceremony, challenge, at }),
  )
  const session = await authorize<S>(deps, caller, found, readAgain)
  return { session, answer, claimed: found?.claimed ?? null }
}
