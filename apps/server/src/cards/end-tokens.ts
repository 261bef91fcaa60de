import { single } from '../db/command.ts'
import { workBeside } from '../jobs/handle.ts'
import type { Job } from '../jobs/loop.ts'
import type { Claim } from '../jobs/work.ts'
import { unbounded } from '../platform/bounds.ts'
import type { CardDeps } from './deps.ts'
import { TOKEN_JOB, tokens } from './store.ts'

// A card that ends without having been accepted may have a token at the network all the same: the answer to its entry was lost, or comes
// too late, or was given to another entry than the one that ended it. What is not known is not taken for nothing: the network is told
// that the card has ended, and makes no token of it from then on.

/** Cards of one process at a time. Many of them wait for the network. */
const MAX_AT_ONCE = 20

/** Tells the network of cards that ended without having been accepted, each by itself, until it answers. */
export function endingTokens(deps: CardDeps): Job {
  return workBeside(deps, tokens, { name: TOKEN_JOB, limit: MAX_AT_ONCE, handle: (work) => handle(deps, work) })
}

/** False: to be tried again. */
async function handle(deps: CardDeps, work: Claim): Promise<boolean> {
  const answer = await deps.network.deleteToken({ cardId: work.id, tokenRef: null })
  const isOver = answer.outcome === 'ok' || (answer.outcome === 'declined' && answer.reason === 'NOT_FOUND')
  if (!isOver) return false
  await unbounded(() =>
    single(deps, { name: 'cards.finish_token', silent: 'work' }, ({ on }) => tokens.finish(on, work)),
  )
  return true
}
