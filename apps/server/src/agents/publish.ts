import { type CommandDeps, single } from '../db/command.ts'
import { invalidState, notFound } from '../platform/errors.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import * as store from './directory-store.ts'
import { sealedPublication } from './seal.ts'

interface PublishDeps extends Pick<CommandDeps, 'pool' | 'clock'> {
  seals: RowSeals
  /** The operator's own account. */
  merchantId: string
}

/** An agent; where an owner asks, it must be theirs. */
export interface OwnedAgent {
  agentId: string
  customerId?: string
}

interface Published extends OwnedAgent {
  read?: string
}

/**
 * Shows shops the agent's key and the name that it has now, until it is taken back or the agent ends; another name of the agent is shown when it
 * is published again. `read`: what its owner has read on the card, if it is they who publish it. `NOT_FOUND` where none is active.
 */
export async function publish(deps: PublishDeps, { agentId, customerId, read }: Published): Promise<void> {
  const { pool, merchantId, seals } = deps
  const found = await store.findPublishable(pool, { merchantId, agentId, customerId: customerId ?? null })
  if (found === undefined) throw notFound()
  const { name } = found
  if (read !== undefined && read !== name) throw renamed()
  const done = await single(deps, { name: 'agents.publish', silent: 'owner' }, ({ on, at }) => {
    const publishedAt = found.publishedAt ?? at
    const seal = seals.seal(sealedPublication({ merchantId, id: agentId, publishedAt, publishedName: name }))
    return store.updatePublished(on, { merchantId, agentId, name, publishedAt, seal, at })
  })
  if (done === undefined) throw renamed()
}

const renamed = () => invalidState({ message: 'The agent has changed what it calls itself. Look at its card again.' })

/** `NOT_FOUND` where there is none. */
export async function unpublish(deps: PublishDeps, { agentId, customerId }: OwnedAgent): Promise<void> {
  const row = { merchantId: deps.merchantId, agentId, customerId: customerId ?? null }
  const done = await single(deps, { name: 'agents.unpublish', silent: 'owner' }, ({ on, at }) =>
    store.updateUnpublished(on, { ...row, at }),
  )
  if (done === undefined) throw notFound()
}
