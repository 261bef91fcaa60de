import type { ConsoleAct } from '@mintmark/contract/console'
import { command } from '../db/command.ts'
import { newOrderedId } from '../platform/ids.ts'
import * as store from './acts-store.ts'
import type { ConsoleCaller, ConsoleDeps } from './deps.ts'

const PAGE = 50
/** Behind every act. */
const NEWEST = 'act_~'

export const SILENT = 'People at the console have no feed.'

/** The person who acts, as the parameters of a statement with `actOf`. */
export const actBy = ({ merchantId: accountId, personId, name }: ConsoleCaller, at: Date) => ({
  ...{ accountId, actorId: personId, actor: name, actId: newOrderedId('act', at) },
})

/**
 * Notes what a person did by a use case of another part of the program, behind it: what is not noted, because the
 * process ended in between, is in the log.
 */
export async function noteAct(
  deps: ConsoleDeps,
  caller: ConsoleCaller,
  kind: ConsoleAct,
  subject: string,
): Promise<void> {
  const { operatorId: merchantId } = deps
  await command(deps, { name: 'console.insert_act', why: SILENT, together: 'statement' }, ({ on, at }) =>
    store.insertAct(on, { merchantId, ...actBy(caller, at), kind, subject, at }),
  )
}

/** What was done at the account, the newest first. */
export async function listActs(deps: ConsoleDeps, { merchantId: accountId }: ConsoleCaller, before: string = NEWEST) {
  const { pool, operatorId: merchantId } = deps
  const rows = await store.listActs(pool, { merchantId, accountId, before, limit: PAGE + 1 })
  const acts = rows.slice(0, PAGE)
  return { acts, before: rows.length > PAGE ? (acts.at(-1)?.id ?? null) : null }
}
export type ActsPage = Awaited<ReturnType<typeof listActs>>
