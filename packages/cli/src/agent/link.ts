import type { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExitCode, Failure } from '../failure.ts'
import { needed, UsageError } from '../usage.ts'
import { apiAddress } from './address.ts'
import { answered } from './client.ts'
import {
  type AgentHome,
  type AgentState,
  agentHome,
  makeFolder,
  type PendingLink,
  readState,
  writeState,
} from './home.ts'
import { makeKey, readKey, thumbprintOf } from './key.ts'
import { agentOf, settled, stillPending } from './linked.ts'
import type { Screen } from './screen.ts'
import { waitFor } from './wait.ts'

export interface LinkWords {
  apiUrl?: string
  name?: string
  platform?: string
  description?: string
  wait: boolean
}

/** Asks a person to own this agent, and waits for the answer. Once more: it goes on with the link that waits. */
export async function link(words: LinkWords, screen: Screen): Promise<ExitCode> {
  const home = agentHome(screen.home, screen.env)
  const before = await readState(home)
  rejectOtherServer(words, before)
  const key = await readKey(home.keyFile)
  if (before !== undefined && before.agent_id !== null && key !== undefined) {
    return show(screen, before, key, before.agent_id)
  }
  const asked = await pendingLink(words, screen, home, before, key)
  showLink(screen, asked.link)
  const look = () => settled(asked.agent, home, asked.state, asked.link)
  const onStop = () => stillPending(asked.link)
  const agentId = words.wait ? await waitFor(look, { until: asked.link.expires_at, screen, onStop }) : await look()
  if (agentId === undefined) return showPending(screen, asked.link)
  return show(screen, asked.state, asked.key, agentId)
}

/** The link that waits, or a new one by the key that is there. */
async function pendingLink(
  words: LinkWords,
  screen: Screen,
  home: AgentHome,
  before: AgentState | undefined,
  found: KeyObject | undefined,
) {
  if (before !== undefined && before.link !== null && found !== undefined && isOpen(before.link)) {
    return { state: before, link: before.link, key: found, agent: agentOf(screen, before.api_url, found) }
  }
  const name = needed(words.name, '--name')
  const apiUrl = before?.api_url ?? apiAddress(words.apiUrl ?? (await addressOf(screen.env)))
  await makeFolder(home)
  const key = found ?? (await makeKey(home.keyFile))
  const agent = agentOf(screen, apiUrl, key)
  const { platform, description } = words
  const asked = { name, ...(platform && { platform }), ...(description && { description }) }
  const { link_id, link_url, expires_at } = await answered(agent.links.create(asked), [
    'link_id',
    'link_url',
    'expires_at',
  ])
  const link = { id: link_id, url: link_url, expires_at }
  const state = { api_url: apiUrl, agent_id: null, link }
  await writeState(home, state)
  return { state, link, key, agent }
}

const isOpen = ({ expires_at }: PendingLink) => Date.now() < Date.parse(expires_at)

function rejectOtherServer({ apiUrl }: LinkWords, before: AgentState | undefined): void {
  if (apiUrl === undefined || before === undefined || apiAddress(apiUrl) === before.api_url) return
  throw new Failure('OTHER_SERVER', `This agent is one of ${before.api_url}. Name another --home for one elsewhere.`)
}

/** As the variable says, or the sandbox that was started in this directory. */
async function addressOf(env: NodeJS.ProcessEnv): Promise<string> {
  if (env.MINTMARK_API_URL) return env.MINTMARK_API_URL
  const text = await readFile(join(env.MINTMARK_HOME || '.mintmark', 'dev.json'), 'utf8').catch(() => '{}')
  try {
    const { api_url } = JSON.parse(text) as { api_url?: string }
    if (typeof api_url === 'string') return api_url
  } catch {
    // Said below.
  }
  throw new UsageError('--api-url is missing')
}

function showLink({ note }: Screen, { url, expires_at }: PendingLink): void {
  note(`Give this address to the person who is to own the agent. It is good until ${expires_at}:`)
  note(`  ${url}`)
}

function show(screen: Screen, { api_url }: AgentState, key: KeyObject, agentId: string): ExitCode {
  const key_thumbprint = thumbprintOf(key)
  screen.show({ status: 'approved', agent_id: agentId, api_url, key_thumbprint }, [
    `Linked: ${agentId} at ${api_url}`,
    'What it may do: mintmark agent limits',
  ])
  return 0
}

function showPending(screen: Screen, { id, expires_at, url }: PendingLink): ExitCode {
  screen.show({ status: 'pending', link_id: id, link_url: url, expires_at }, ['Your owner has not answered yet.'])
  return 2
}
