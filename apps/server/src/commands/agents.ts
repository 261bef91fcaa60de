import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'
import { needed } from './usage.ts'

type Run = (work: (app: Pick<Operated, 'agentOperations'>) => Promise<unknown>) => Promise<void>

/** `agent …`: software that owners have linked. */
export function addAgentCommands(agent: Command, run: Run): void {
  agent
    .command('list')
    .description('agents that owners have linked')
    .action(() =>
      run(async ({ agentOperations }) =>
        (await agentOperations.list()).map(({ id, customerId, name, status, createdAt, publishedAt }) => ({
          ...{ agent_id: id, customer_id: customerId, name, status, created_at: createdAt, published_at: publishedAt },
        })),
      ),
    )
  agent
    .command('revoke')
    .description('end an agent: its next request is refused, on every node')
    .argument('<ID>', 'the agent')
    .action((id: string) =>
      run(async ({ agentOperations }) => {
        const { agentId } = await agentOperations.revoke(needed(id, 'ID'))
        return { agent_id: agentId, status: 'revoked' }
      }),
    )
  agent
    .command('publish')
    .description('show shops who an agent is, as its owner wants it: its key, its name, its card')
    .argument('<ID>', 'the agent')
    .action((id: string) =>
      run(async ({ agentOperations }) => {
        await agentOperations.publish({ agentId: needed(id, 'ID') })
        return { agent_id: id, published: true }
      }),
    )
  agent
    .command('unpublish')
    .description('take that back: it is gone from every cache within a minute')
    .argument('<ID>', 'the agent')
    .action((id: string) =>
      run(async ({ agentOperations }) => {
        await agentOperations.unpublish({ agentId: needed(id, 'ID') })
        return { agent_id: id, published: false }
      }),
    )
}
