import { randomBytes } from 'node:crypto'
import type { RouteExample } from '../src/http/testing/table-walk.ts'
import { askForLink, newAgent } from './agents.ts'
import { newOwner } from './owners.ts'
import type { TestService } from './service.ts'

export const NARROW = {
  ...{ currency: 'USD', charge: '20.00', day: '50.00', month: '200.00', open: 3 },
  ...{ merchants: null, hours: null, ask_above: null },
}

const OWN_SESSION = 'Names nothing: the owner is the one whose cookie came.'

/** What the route walk sends to the page of owners. */
export async function ownersWalk(service: TestService) {
  const owner = await newOwner(service)
  const cookie = { cookie: owner.cookie, origin: service.ownerUrl }
  /** A link is nobody's before it is approved: whoever has its address may answer it (owners.test.ts). */
  const link = (body?: object) => async (): Promise<RouteExample> => ({
    own: { params: { linkId: await askForLink(newAgent(service)) }, ...(body && { body }) },
    foreign: 'Whoever has the address of a link may answer it (owners.test.ts).',
  })
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
      // The last row: it ends the session of the walk.
      signOut: () => ({ own: {}, foreign: OWN_SESSION }),
    },
  }
}
