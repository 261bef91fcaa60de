import { type CommandDeps, command } from '../db/command.ts'
import { bound } from '../platform/bound.ts'
import { startEpoch } from './epoch.ts'
import * as store from './store.ts'

type Deps = Pick<CommandDeps, 'pool' | 'clock'>

const MAX_SHOWN = 500

/**
 * How the deployment stands since a restore, what the network has said of what came back, and which keys open again: no
 * network knows of those that were revoked since.
 */
export async function show({ pool }: Deps) {
  const [restored, counts, followed, keys] = await Promise.all([
    store.findRestored(pool),
    store.countSubjects(pool),
    store.listByWord(pool, { limit: MAX_SHOWN }),
    store.listKeysUsedLast(pool, { limit: MAX_SHOWN }),
  ])
  const closedSince = restored?.closedSince ?? null
  const sum = counts.map(({ kind, word, count }) => ({ kind, network_says: word, count }))
  return {
    state: closedSince === null ? 'open' : 'closed',
    closed_since: closedSince,
    is_listed: restored?.isListed ?? false,
    unanswered: sum.filter(({ network_says }) => network_says === null).reduce((all, { count }) => all + count, 0),
    counts: sum,
    followed: followed.map(({ merchantId, kind, id, word, heardAt }) => ({
      ...{ merchant_id: merchantId, kind, id, network_says: word, heard_at: heardAt },
    })),
    keys_used_last: keys.map(({ merchantId, id, kind, lastUsedAt }) => ({
      ...{ merchant_id: merchantId, key_id: id, kind, last_used_at: lastUsedAt },
    })),
  }
}

/** Throws what is missing before the door may be opened. */
export async function check(deps: Deps, { force }: { force: boolean }) {
  const before = await show(deps)
  const missing = before.closed_since === null || force ? null : whatIsMissing(before)
  if (missing === null) return before
  throw new Error(
    `${missing} A process with background work (all or worker) asks; or open it with --force. Nothing was changed.`,
  )
}

/**
 * Lets callers in. Refused while the network has not been asked about everything, unless `force`. One of several
 * operators one opens it, and the others are told that it is open.
 */
export async function open(deps: Deps, { force }: { force: boolean }) {
  const before = await check(deps, { force })
  if (before.closed_since === null) return { ...before, opened: false }
  const why = 'The state of the deployment is no merchant’s resource.'
  const closedSince = before.closed_since
  const count = await command(deps, { name: 'restored.open', why, together: 'statement' }, ({ on }) =>
    store.updateOpen(on, { closedSince }),
  )
  return { ...before, state: 'open', opened: count === 1 }
}

function whatIsMissing({ is_listed, unanswered, counts }: Awaited<ReturnType<typeof show>>): string | null {
  if (!is_listed) return 'What has to be asked of the network was not listed yet.'
  if (unanswered === 0) return null
  const parts = counts
    .filter(({ network_says }) => network_says === null)
    .map(({ kind, count }) => `${count} of kind ${kind}`)
  return `The network has not answered about ${parts.join(', ')}.`
}

export const createRestoredService = (deps: Deps) => bound(deps, { show, check, open, startEpoch })
