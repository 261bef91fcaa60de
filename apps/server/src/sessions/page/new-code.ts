import { command } from '../../db/command.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { SessionDeps } from '../deps.ts'
import { readOnSurface } from '../end.ts'
import { newCodesSpent, newCodeTooEarly, sessionChanged } from '../errors.ts'
import { rowOfKind } from '../ref.ts'
import { isOpen } from '../rules.ts'
import { updateNewCode } from '../store.ts'
import type { SurfaceSession } from './store.ts'

// A code that does not come is asked for anew: a few times, and not in a row. Each costs the bank a message, and who is
// asked for many of them learns to pass codes on.

const MAX_NEW_CODES = 3
const SECONDS_BETWEEN = 30

interface AwaitedCode {
  /** The place among the codes of this entry, from 0. */
  number: number
  /** From when on a new one may be asked for; null: none is left. */
  nextFrom: Date | null
}

/** The code that the session waits for; null: for none. */
export function awaitedCode(session: SurfaceSession): AwaitedCode | null {
  const { entryId, entryNewCodes: number, newCodes, codeSentAt, createdAt } = session
  if (!isOpen(session) || entryId === null) return null
  return { number, nextFrom: newCodes < MAX_NEW_CODES ? addSeconds(codeSentAt ?? createdAt, SECONDS_BETWEEN) : null }
}

/** Takes the next code of the session, of many callers for one. Throws why there is none. */
export async function takeNewCode(deps: SessionDeps, session: SurfaceSession): Promise<{ number: number }> {
  const { merchantId, id: sessionId, entryId } = session
  const why = 'Its merchant hears what came of a card, and not how it was proven.'
  const taken = await command(deps, { name: 'sessions.take_new_code', why, together: 'statement' }, ({ on, at }) =>
    updateNewCode[rowOfKind(session)](on, {
      ...{ merchantId, sessionId, entryId, at },
      ...{ most: MAX_NEW_CODES, lastSentBy: addSeconds(at, -SECONDS_BETWEEN) },
    }),
  )
  if (taken === undefined)
    throw refusal(deps, entryId, await readOnSurface(deps, { merchantId, sessionId, row: rowOfKind(session) }))
  return { number: taken.entryNewCodes }
}

function refusal({ clock }: SessionDeps, entryId: string | null, session: SurfaceSession) {
  const awaited = session.entryId === entryId ? awaitedCode(session) : null
  if (awaited === null) return sessionChanged()
  if (awaited.nextFrom === null) return newCodesSpent()
  return awaited.nextFrom > clock.now() ? newCodeTooEarly() : sessionChanged()
}
