import { command } from '../db/command.ts'
import { addSeconds, unmoved } from '../platform/clock.ts'
import { idBefore } from '../platform/ids.ts'
import { SILENT } from './acts.ts'
import { deleteOldActs } from './acts-store.ts'
import type { ConsoleDeps } from './deps.ts'
import { deleteOldInvitations } from './invitations-store.ts'
import { deleteOver as deleteOverSessions } from './sessions-store.ts'

const DAY = 24 * 60 * 60
/** How long it can be read what people did. */
const ACTS_DAYS = 400
/** How long an invitation is kept after its time. */
const INVITATION_DAYS = 30

/** Deletes sessions that are over, and old acts and invitations. Returns how many. */
export async function deleteOver(deps: ConsoleDeps, limit: number): Promise<number> {
  const { operatorId: merchantId, clock } = deps
  const sessions = await command(
    deps,
    { name: 'console.delete_sessions', why: SILENT, together: 'statement' },
    ({ on }) => deleteOverSessions(on, { merchantId, at: unmoved(clock), limit }),
  )
  const acts = await command(deps, { name: 'console.delete_acts', why: SILENT, together: 'statement' }, ({ on, at }) =>
    deleteOldActs(on, { merchantId, before: idBefore('act', addSeconds(at, -ACTS_DAYS * DAY)), limit }),
  )
  const invitations = await command(
    deps,
    { name: 'console.delete_invitations', why: SILENT, together: 'statement' },
    ({ on, at }) => deleteOldInvitations(on, { merchantId, before: addSeconds(at, -INVITATION_DAYS * DAY), limit }),
  )
  return sessions + acts + invitations
}
