import { single } from '../db/command.ts'
import type { Answer, ClaimedChallenge } from '../passkeys/service.ts'
import type { SessionDeps } from './deps.ts'
import { findOnSurface } from './end.ts'
import { admit, open } from './grant.ts'
import { ownerOf } from './scope.ts'
import { findClaiming, type SurfaceSession } from './surface-store.ts'
import type { SurfaceCaller } from './token.ts'

interface Answered<Read> {
  session: SurfaceSession
  answer: Read
  claimed: ClaimedChallenge | null
}

/**
 * The caller's open session together with the challenge that their answer uses up, also when a later step fails. What is
 * wrong with the answer is said only to those whose session is open.
 */
export async function openAnswered<Read extends Answer<unknown>>(
  deps: SessionDeps,
  caller: SurfaceCaller,
  ceremony: 'registration' | 'assertion',
  read: () => Read,
): Promise<Answered<Read>> {
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
  const silent = 'A used challenge is no change; what is approved with it is.'
  const found = await single(deps, { name: 'passkeys.claim_challenge', silent }, ({ on, at }) =>
    findClaiming(on, { ...place, ceremony, challenge, at }),
  )
  const session = await admit<SurfaceSession>(deps, caller, found, () => findOnSurface(deps, caller))
  return { session, answer, claimed: found?.claimed ?? null }
}
