import { type CommandDeps, command } from '../db/command.ts'
import { notFound } from '../platform/errors.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import * as store from './directory-store.ts'
import { sealedPublication } from './store.ts'

interface PublishDeps extends Pick<CommandDeps, 'pool' | 'clock'> {
  seals: RowSeals
  /** The operator's own account. */
  merchantId: string
}

/** An agent; of this owner alone, where it is the owner who asks. */
export interface OwnedAgent {
  agentId: string
  customerId?: string
}

const why = 'Owners have no feed.'

/** Shows shops the agent's key and name, until it is taken back or the agent ends. `NOT_FOUND` where none is active. */
export async function publish(deps: PublishDeps, { agentId, customerId }: OwnedAgent): Promise<void> {
  const { merchantId, seals } = deps
  const row = { merchantId, agentId, customerId: customerId ?? null }
  const done = await command(deps, { name: 'agents.publish', why, together: 'statement' }, ({ on, at }) =>
    store.updatePublished(on, {
      ...row,
      at,
      seal: seals.seal(sealedPublication({ merchantId, id: agentId, publishedAt: at })),
    }),
  )
  if (done === undefined) throw notFound()
}

/** `NOT_FOUND` where there is none. */
export async function unpublish(deps: PublishDeps, { agentId, customerId }: OwnedAgent): Promise<void> {
  const row = { merchantId: deps.merchantId, agentId, customerId: customerId ?? null }
  const done = await command(deps, { name: 'agents.unpublish', why, together: 'statement' }, ({ on, at }) =>
    store.updateUnpublished(on, { ...row, at }),
  )
  if (done === undefined) throw notFound()
}
