import { randomBytes } from 'node:crypto'
import type { RouteExample } from '../src/http/testing/table-walk.ts'
import { askForLink, linkedAgent, mandateOf, newAgent } from './agents.ts'
import { newOwner } from './owners.ts'
import type { TestService } from './service.ts'

export const NARROW = {
  ...{ currency: 'USD', charge: '20.00', day: '50.00', month: '200.00', open: 3 },
  ...{ merchants: null, hours: null, ask_above: null },
}

const OWN_SESSION = 'Names nothing: the owner is the one whose cookie came.'

/** A charge that asks an owner of the sandbox: the escalation. */
export async function askingCharge(service: TestService): Promise<string> {
  const agent = await linkedAgent(service, { owner: 'asked', limits: NARROW })
  const mandate = await mandateOf(service, agent)
  const charge = await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount: '30.00', reference: 'r-1' })
  return charge.body.escalation.id
}

/** What the route walk sends to the page of owners. */
export async function ownersWalk(service: TestService) {
  const owner = await newOwner(service)
  const cookie = { cookie: owner.cookie, origin: service.ownerUrl }
  /** A link is no owner's before it is approved: any owner who has its address may answer it (link.test.ts). */
  const link = (body?: object) => async (): Promise<RouteExample> => ({
    own: { params: { linkId: await askForLink(newAgent(service)) }, ...(body && { body }) },
    foreign: 'Whoever has the address of a link may answer it (link.test.ts).',
  })
  /** `theirs` is that of an owner of the sandbox (owned.test.ts has one of the caller's own). */
  const escalation = (body?: object) => async (): Promise<RouteExample> => {
    const named = (escalationId: string) => ({ params: { escalationId }, ...(body && { body }) })
    const nobodys = named('esc_nobodys')
    return { own: nobodys, foreign: { theirs: named(await theirs()), nobodys, status: 404 } }
  }
  /** `theirs` is that of an owner of the sandbox. */
  const agent = async (): Promise<RouteExample> => {
    const named = (agentId: string) => ({ params: { agentId } })
    const { agentId } = await linkedAgent(service)
    return { own: named('aa_nobodys'), foreign: { theirs: named(agentId), nobodys: named('aa_nobodys'), status: 404 } }
  }
  const limited = (body: object) => async (): Promise<RouteExample> => {
    const { own, foreign } = await agent()
    const { theirs, ...answer } = foreign as Exclude<RouteExample['foreign'], string>
    return { own: { ...own, body }, foreign: { ...answer, theirs: { ...theirs, body }, nobodys: { ...own, body } } }
  }
  let asked: Promise<string> | undefined
  const theirs = () => {
    asked ??= askingCharge(service)
    return asked
  }
  return {
    baseUrl: service.ownerUrl,
    close: async () => {},
    credentials: {
      owner_session: {
        working: () => cookie,
        refused: {
          'a token that nobody was given': `mintmark_owner=${randomBytes(32).toString('base64url')}`,
          'two tokens': `${owner.cookie}; ${owner.cookie}`,
          'the cookie of another name': owner.cookie.replace('mintmark_owner', 'mintmark_other'),
        },
      },
    },
    examples: {
      getOwnerSession: () => ({ own: {}, foreign: OWN_SESSION }),
      lookAtAgentLink: link(),
      linkApprovalOptions: link({ limits: NARROW }),
      approveLink: link({ response: {} }),
      denyLink: link(),
      lookAtEscalation: escalation(),
      escalationApprovalOptions: escalation(),
      allowEscalation: escalation({ response: {} }),
      denyEscalation: escalation(),
      openEscalationMandate: escalation(),
      getOwnerHome: () => ({ own: {}, foreign: OWN_SESSION }),
      revokeAgent: agent,
      lookAtAgentCard: agent,
      narrowAgentLimits: limited({ version: 1, limits: { ...NARROW, charge: '10.00' } }),
      agentLimitsApprovalOptions: limited({ version: 1, limits: { ...NARROW, charge: '30.00' } }),
      approveAgentLimits: limited({ change_id: 'lim_none', response: {} }),
      publishAgent: limited({ client_name: 'Pantry' }),
      unpublishAgent: agent,
      askForMail: () => ({ own: { body: { email: 'ann@owners.example' } }, foreign: OWN_SESSION }),
      confirmMail: () => ({ own: { body: { code: '000000' } }, foreign: OWN_SESSION }),
      stopMail: () => ({ own: {}, foreign: OWN_SESSION }),
      // The last row: it ends the session of the walk.
      signOut: () => ({ own: {}, foreign: OWN_SESSION }),
    },
  }
}
