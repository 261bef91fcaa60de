import { Mintmark } from '@mintmark/node'

/** The person who owns the agent. */
export interface Owner {
  link(linkId: string, url: string): Promise<void>
  approve(sessionId: string, url: string): Promise<void>
  decide(escalationId: string, url: string): Promise<void>
}

type Say = (line: string) => void

/** You: each address is opened in a browser, and the agent waits. */
export function atThePage(say: Say): Owner {
  const ask = async (_id: string, url: string) => say(`  Open this, and answer: ${url}`)
  return { link: ask, approve: ask, decide: ask }
}

/** No owner is there: the test helpers of the sandbox do what the owner would do at the page. */
export function playedByTheSandbox(account: { apiUrl: string; secretKey: string }, say: Say): Owner {
  const { testHelpers } = new Mintmark(account)
  return {
    async link(linkId) {
      say('  Nobody is at the page: a test helper links it, as owner, with 30.00 USD a charge and 100.00 a day.')
      const none = { month: null, open: null, merchants: null, hours: null, ask_above: null }
      await testHelpers.approveAgentLink(linkId, {
        limits: { currency: 'USD', charge: '30.00', day: '100.00', ...none },
      })
    },
    async approve(sessionId) {
      say('  Nobody is at the page: a test helper enters a test card and approves.')
      await testHelpers.completeSession(sessionId)
    },
    async decide(escalationId) {
      say('  Nobody is at the page: a test helper allows it.')
      await testHelpers.decideEscalation(escalationId, { decision: 'allow' })
    },
  }
}
