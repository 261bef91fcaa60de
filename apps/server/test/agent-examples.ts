import { signRequest } from '@mintmark/node'
import type { RouteExample } from '../src/http/testing/table-walk.ts'
import { askFor, askForLink, TEA, type TestAgent } from './agents.ts'
import type { TestService } from './service.ts'

/** The headers of a request that this agent signs. */
export function signedBy(service: TestService, { privateKey, keyId }: TestAgent) {
  type Unsigned = { method: string; target: string; body: string }
  const working = ({ method, target, body }: Unsigned) =>
    signRequest(
      { method, url: service.apiUrl + target, ...(body !== '' && { body }) },
      { privateKey, ...(keyId !== undefined && { keyId }) },
    )
  return { working, refused: { 'a signature alone': 'sig=:AAAA:' } }
}

const OWN_AGENT = 'Names nothing: the agent is the one that has signed.'
const NOBODYS = 'sess_00000000000000000000000000'

interface Agents {
  agent: TestAgent
  otherAgent: TestAgent
  /** Linked to no owner. */
  asker: TestAgent
}

/** What the route walk sends to the routes of agents. */
export function agentExamples({ agent, otherAgent, asker }: Agents) {
  /** A session of its own, of another agent, one that does not exist. */
  async function sessionExample(body?: object): Promise<RouteExample> {
    const [own, theirs] = [await askFor(agent), await askFor(otherAgent)]
    const named = (sessionId: string) => ({ params: { sessionId }, ...(body && { body }) })
    return {
      own: named(own.body.session_id),
      foreign: { theirs: named(theirs.body.session_id), nobodys: named(NOBODYS), status: 404 },
    }
  }
  return {
    createAgentSession: () => ({ own: { body: TEA }, foreign: OWN_AGENT }),
    listAgentSessions: () => ({ own: {}, foreign: OWN_AGENT }),
    getAgentPaymentResult: () => sessionExample(),
    reportAgentStatus: () => sessionExample({ txn_ref_id: 'tli_1', txn_status: 'APPROVED' }),
    linkAgent: () => ({
      own: { body: { name: 'Pantry' } },
      foreign: 'Names nothing: the key is the one that has signed.',
    }),
    getAgentLink: async () => {
      const named = (linkId: string) => ({ params: { linkId } })
      return {
        own: named(await askForLink(asker)),
        foreign: 'A link is shown to its own key alone (link.test.ts).',
      }
    },
    getAgent: () => ({ own: {}, foreign: OWN_AGENT }),
    changeAgent: () => ({ own: { body: { name: 'Pantry' } }, foreign: OWN_AGENT }),
    changeAgentKey: () => ({ own: { body: {} }, foreign: OWN_AGENT }),
    decideAgentEscalation: () => ({
      own: { params: { escalationId: 'esc_none' }, body: { decision: 'deny' } },
      foreign: 'Owners are the sandbox’s: any merchant of it plays them.',
    }),
    publishAgent: () => ({
      own: { params: { agentId: 'aa_none' }, body: { published: true } },
      foreign: 'Owners are the sandbox’s: any merchant of it plays them.',
    }),
    approveAgentLink: () => {
      const named = (linkId: string) => ({ params: { linkId } })
      return { own: named('lk_none'), foreign: 'Owners are the sandbox’s: any merchant of it plays them.' }
    },
  } satisfies Record<string, () => RouteExample | Promise<RouteExample>>
}
