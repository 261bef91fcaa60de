import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { ClientCaller, Grant } from '../agents/service.ts'
import { idFrom } from '../platform/ids.ts'
import { type AuthorizationDeps, resourceOf } from './deps.ts'
import { findEntry, keepEntry } from './entries.ts'
import { nameOfGrant } from './grant.ts'
import { CLIENT_SECONDS } from './lifetimes.ts'

/** Where the browser goes, or that it is none of those that may go on. */
export type ConsentStep = { kind: 'redirect'; to: string } | { kind: 'refused' }

/** The link of an interaction, which follows from its cookie: no reader of the link can make the cookie from it. */
export const linkIdOf = (uid: string): string => idFrom('agentLink', hash('sha256', `link of ${uid}`, 'buffer'))

/**
 * The browser between the client, the owner's page and the client again. Two things have to come together: the cookie of the browser that
 * began, and the ticket of the one that approved. An attacker who sends an owner the link of an authorization of their own has only the
 * cookie, and the owner's browser only the ticket: no token is made of it, and what was approved is taken back.
 */
export function createConsent(
  deps: AuthorizationDeps,
  provider: Provider,
  prepared: (request: IncomingMessage) => IncomingMessage,
) {
  return async function step(
    request: IncomingMessage,
    response: ServerResponse,
    { linkId, ticket }: { linkId: string; ticket: string },
  ): Promise<ConsentStep> {
    const { agents, ownerUrl } = deps
    const own = await provider.interactionDetails(prepared(request), response).catch(() => undefined)
    const isBegunHere = own !== undefined && linkIdOf(own.uid) === linkId
    const isDecidedHere = await agents.isTicket(linkId, ticket)
    if (!isBegunHere) {
      if (isDecidedHere) await takeBack(deps, linkId)
      return { kind: 'refused' }
    }
    const { status, agentId } = await agents.clientStanding(linkId)
    const goOn = async (result: Parameters<Provider['interactionResult']>[2]): Promise<ConsentStep> => ({
      kind: 'redirect',
      to: await provider.interactionResult(prepared(request), response, result),
    })
    if (status === 'pending') return { kind: 'redirect', to: `${ownerUrl}/links/${linkId}` }
    const grant = agentId === null || !isDecidedHere ? undefined : { agentId, linkId }
    const agent = grant && (await agents.findGrant(grant))
    if (status !== 'approved' || grant === undefined || agent === undefined) {
      return goOn({ error: 'access_denied', error_description: `the owner's approval is ${status}` })
    }
    const grantId = await keepGrant(deps, provider, grant, agent)
    return goOn({ login: { accountId: agent.owner, remember: false }, consent: { grantId } })
  }
}

async function keepGrant(
  deps: AuthorizationDeps,
  provider: Provider,
  grant: Grant,
  { clientId, owner: accountId, scopes }: ClientCaller,
): Promise<string> {
  const made = Object.assign(new provider.Grant({ accountId, clientId }), { jti: nameOfGrant(grant) })
  made.addResourceScope(resourceOf(deps), scopes.join(' '))
  await made.save()
  await keepEntry(deps, { kind: 'Client', id: clientId }, CLIENT_SECONDS)
  return nameOfGrant(grant)
}

/**
 * It was approved in a browser that has not begun it: an attacker who began it would get what the owner has allowed. An owner who opens
 * again the address that they were led through finds that there is a grant.
 */
async function takeBack(deps: AuthorizationDeps, linkId: string): Promise<void> {
  const { agentId } = await deps.agents.clientStanding(linkId)
  const grant = agentId === null ? undefined : { agentId, linkId }
  if (grant === undefined || (await findEntry(deps, { kind: 'Grant', id: nameOfGrant(grant) })) !== undefined) return
  deps.log.warn('an authorization was approved in another browser than began it')
  await deps.agents.takeBack(grant, deps.endAgent)
}
