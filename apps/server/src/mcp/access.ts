import type { AgentScope } from '@mintmark/contract/agents'
import type { ClientCaller } from '../agents/service.ts'
import { type AuthorizationDeps, resourceOf } from './deps.ts'
import { findEntry } from './entries.ts'
import { grantNamed, nameOfGrant } from './grant.ts'
import { scopesIn } from './wire.ts'

/** The agent that calls a tool, with what its token allows. */
export interface ToolCaller extends ClientCaller {
  /** The scopes of the token, which may have fewer than its grant. */
  tokenScopes: readonly AgentScope[]
}

/**
 * The agent of an access token, which is asked for with every request: a token is a name and says nothing by itself, so what ends it,
 * or its agent, counts from the next request on, on every node.
 */
export async function callerOf(deps: AuthorizationDeps, token: string): Promise<ToolCaller | undefined> {
  const found = await findEntry(deps, { kind: 'AccessToken', id: token })
  if (found === undefined) return undefined
  const { aud, clientId, scope, grantId } = found.content
  const grant = grantNamed(grantId)
  if (aud !== resourceOf(deps) || typeof scope !== 'string' || grant === undefined) return undefined
  // The grant as well: a caller who used a code again has ended it, while the first was still being given tokens.
  const entry = { kind: 'Grant', id: nameOfGrant(grant) }
  const [granted, agent] = await Promise.all([findEntry(deps, entry), deps.agents.findGrant(grant)])
  if (granted === undefined || agent === undefined || agent.clientId !== clientId) return undefined
  const tokenScopes = scopesIn(scope).filter((each) => agent.scopes.includes(each))
  return Object.freeze({ ...agent, tokenScopes })
}
