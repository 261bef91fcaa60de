import type { AgentMe } from '@mintmark/node'
import type { ExitCode } from '../failure.ts'
import { answered } from './client.ts'
import { linkedAgent } from './linked.ts'
import type { Screen } from './screen.ts'

const FIELDS = ['agent_id', 'name', 'owner', 'limits', 'waiting'] as const

/** Shows which agent this is. */
export async function status(screen: Screen): Promise<ExitCode> {
  const { state, agent } = await linkedAgent(screen)
  const { agent_id, name, platform, description, owner, key_thumbprint, waiting } = await answered(
    agent.me.get(),
    FIELDS,
  )
  const answer = { agent_id, api_url: state.api_url, name, platform, description, owner, key_thumbprint, waiting }
  screen.show(answer, [
    `${name} (${agent_id}), linked at ${state.api_url}`,
    `Owner  ${owner}`,
    `Key    ${key_thumbprint}`,
    ...waitingWords(waiting),
  ])
  return 0
}

/** What its owner allows, what of it is left, and until when. */
export async function limits(screen: Screen): Promise<ExitCode> {
  const { agent } = await linkedAgent(screen)
  const { limits, waiting } = await answered(agent.me.get(), FIELDS)
  const none = limits.length === 0 ? ['Your owner has set no limits.'] : []
  screen.show({ limits, waiting }, [...none, ...limits.map(limitWords), ...waitingWords(waiting)])
  return 0
}

function limitWords({ kind, limit, used, left, renews_at }: AgentMe['limits'][number]): string {
  const taken = used === null ? '' : `  used ${used}, left ${left ?? '0'}`
  const renewal = renews_at === null ? '' : `, ${kind === 'hours' ? 'next from' : 'anew'} ${renews_at}`
  return `${(KINDS[kind] ?? kind).padEnd(14)} ${limit}${taken}${renewal}`
}

const KINDS: Readonly<Record<string, string>> = {
  currency: 'Currency',
  merchants: 'Shops',
  hours: 'Hours',
  charge: 'A charge',
  open: 'Open at once',
  day: 'A day',
  month: 'A month',
  ask_above: 'Asks above',
  ask_repeats: 'Asks of repeats',
}

function waitingWords(waiting: AgentMe['waiting']): string[] {
  return waiting.map(({ type, id, amount, currency, merchant, reference, mandate_id, url, expires_at }) => {
    const what = type === 'charge' ? `reference ${reference}, on ${mandate_id}` : `session ${id}`
    return `Waits for your owner until ${expires_at}: ${amount} ${currency} at ${merchant.name}, ${what}: ${url}`
  })
}
