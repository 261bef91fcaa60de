import type { KeyObject } from 'node:crypto'
import type { MintmarkAgent } from '@mintmark/node'
import { Failure } from '../failure.ts'
import { answered, openAgent } from './client.ts'
import { type AgentHome, type AgentState, agentHome, type PendingLink, readState, writeState } from './home.ts'
import { readKey } from './key.ts'
import type { Screen } from './screen.ts'

/** An agent that is linked, as this machine knows it. */
export interface Linked {
  home: AgentHome
  state: AgentState & { agent_id: string }
  key: KeyObject
  agent: MintmarkAgent
}

/** Fails with 2 where no owner has linked it. */
export async function linkedAgent(screen: Screen): Promise<Linked> {
  const home = agentHome(screen.home, screen.env)
  const state = await readState(home)
  if (state === undefined) throw notLinked(home)
  const key = await readKey(home.keyFile)
  if (key === undefined) throw notLinked(home)
  const agent_id = state.agent_id ?? (await linkedMeanwhile(screen, home, state, key))
  return { home, state: { ...state, agent_id }, key, agent: agentOf(screen, state.api_url, key, agent_id) }
}

export function agentOf({ stopped }: Screen, apiUrl: string, key: KeyObject, keyId?: string): MintmarkAgent {
  return openAgent({ apiUrl, key, keyId }, stopped)
}

/** The agent that a link has become meanwhile. */
async function linkedMeanwhile(screen: Screen, home: AgentHome, state: AgentState, key: KeyObject): Promise<string> {
  if (state.link === null) throw notLinked(home)
  const agentId = await settled(agentOf(screen, state.api_url, key), home, state, state.link)
  if (agentId === undefined) throw stillPending(state.link)
  return agentId
}

/** What became of a link, written down. Undefined: the owner has not answered. */
export async function settled(agent: MintmarkAgent, home: AgentHome, state: AgentState, link: PendingLink) {
  const { status, agent_id } = await answered(agent.links.get(link.id), ['status'])
  if (status === 'pending') return undefined
  if (status === 'approved' && agent_id !== undefined) {
    await writeState(home, { ...state, agent_id, link: null })
    return agent_id
  }
  await writeState(home, { ...state, link: null })
  if (status === 'denied') throw new Failure('LINK_DENIED', 'Your owner has denied the link.')
  throw new Failure('LINK_EXPIRED', 'Nobody answered the link in time. Ask again: mintmark agent link', 2)
}

export function stillPending({ id, url, expires_at }: PendingLink): Failure {
  const words = `Your owner has not answered the link. They can, until ${expires_at}, at ${url}`
  return new Failure('LINK_PENDING', words, 2, { link_id: id, link_url: url, expires_at })
}

function notLinked({ folder }: AgentHome): Failure {
  return new Failure('NOT_LINKED', `There is no linked agent in ${folder}. Link one: mintmark agent link`, 2)
}
