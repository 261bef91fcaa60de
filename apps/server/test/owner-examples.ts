import { randomBytes } from 'node:crypto'
import type { RouteExample } from '../src/http/testing/table-walk.ts'
import { askForLink, linkedAgent, mandateOf, newAgent } from './agents.ts'
import { newOwner, pageHeaders, sandboxOwner, signIn, type TestOwner } from './owners.ts'
import { ownerWithCard, waitingRecovery } from './recovery.ts'
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

/** A charge of an agent of an owner of the sandbox. */
async function theirCharge(service: TestService): Promise<string> {
  const agent = await linkedAgent(service)
  const charge = await agent.send('POST', `/v1/mandates/${await mandateOf(service, agent)}/charge`, { amount: '5.00' })
  return charge.body.transactionId
}

/** A receipt of an owner of the sandbox. */
async function theirReceipt(service: TestService): Promise<string> {
  const { agentId } = await linkedAgent(service)
  const other = await sandboxOwner(service, agentId)
  await service.runJobs()
  return (await other.get('/api/receipts')).body.receipts[0].id
}

/** What the route walk sends to the page of owners. */
export async function ownersWalk(service: TestService) {
  const owner = await newOwner(service)
  let session = owner
  /** A link has no owner before it is approved: whoever has its address may answer it (owners.test.ts). */
  const link = (body?: object) => async (): Promise<RouteExample> => ({
    own: { params: { linkId: await askForLink(newAgent(service)) }, ...(body && { body }) },
    foreign: 'Whoever has the address of a link may answer it (owners.test.ts).',
  })
  /** An agent of an owner of the sandbox (owned.test.ts has one of the caller's own). */
  const escalation = (body?: object) => async (): Promise<RouteExample> => {
    const named = (escalationId: string) => ({ params: { escalationId }, ...(body && { body }) })
    const nobodys = named('esc_nobodys')
    return { own: nobodys, foreign: { theirs: named(await theirs()), nobodys, status: 404 } }
  }
  /** One of an owner of the sandbox. */
  const agent = async (): Promise<RouteExample> => {
    const named = (agentId: string) => ({ params: { agentId } })
    const { agentId } = await linkedAgent(service)
    return { own: named('aa_nobodys'), foreign: { theirs: named(agentId), nobodys: named('aa_nobodys'), status: 404 } }
  }
  /** A permission of an owner of the sandbox. */
  const permission = async (): Promise<RouteExample> => {
    const named = (mandateId: string) => ({ params: { mandateId } })
    const [theirs, nobodys] = [named(await mandateOf(service, await linkedAgent(service))), named('mdt_nobodys')]
    return { own: nobodys, foreign: { theirs, nobodys, status: 404 } }
  }
  const limited = (body: object) => async (): Promise<RouteExample> => {
    const { own, foreign } = await agent()
    const { theirs, ...answer } = foreign as Exclude<RouteExample['foreign'], string>
    return { own: { ...own, body }, foreign: { ...answer, theirs: { ...theirs, body }, nobodys: { ...own, body } } }
  }
  /** Another owner has it. */
  const passkey = (body?: object) => async (): Promise<RouteExample> => {
    const { passkeys } = (await (await newOwner(service)).get('/api/passkeys')).body
    const named = (passkeyId: string) => ({ params: { passkeyId }, ...(body && { body }) })
    const nobodys = named('pky_nobodys')
    return { own: nobodys, foreign: { theirs: named(passkeys[0].passkey_id), nobodys, status: 404 } }
  }
  const device = (body?: object) => async (): Promise<RouteExample> => {
    const { device_id } = (await (await newOwner(service)).post('/api/devices')).body
    const named = (deviceId: string) => ({ params: { deviceId }, ...(body && { body }) })
    const nobodys = named('dev_nobodys')
    return { own: nobodys, foreign: { theirs: named(device_id), nobodys, status: 404 } }
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
        working: () => ({ ...pageHeaders(session.cookie), origin: service.ownerUrl }),
        refused: {
          'a token that nobody was given': `mintmark_owner=${randomBytes(32).toString('base64url')}`,
          'two tokens': `${owner.cookie}; ${owner.cookie}`,
          'the cookie of another name': owner.cookie.replace('mintmark_owner', 'mintmark_other'),
        },
      },
    },
    examples: {
      getOwnerSession: () => ({ own: {}, foreign: OWN_SESSION }),
      readAgentLink: link(),
      linkApprovalOptions: link({ limits: NARROW }),
      approveLink: link({ response: {} }),
      denyLink: link(),
      readEscalation: escalation(),
      escalationApprovalOptions: escalation(),
      allowEscalation: escalation({ response: {} }),
      denyEscalation: escalation(),
      openEscalationMandate: escalation(),
      getOwnerHome: () => ({ own: {}, foreign: OWN_SESSION }),
      revokeAgent: agent,
      readAgentCard: agent,
      narrowAgentLimits: limited({ version: 1, limits: { ...NARROW, charge: '10.00' } }),
      agentLimitsApprovalOptions: limited({ version: 1, limits: { ...NARROW, charge: '30.00' } }),
      approveAgentLimits: limited({ change_id: 'lim_none', response: {} }),
      publishAgent: agent,
      unpublishAgent: agent,
      listReceipts: () => ({ own: {}, foreign: OWN_SESSION }),
      downloadReceipts: () => ({ own: {}, foreign: OWN_SESSION }),
      downloadReceipt: async () => {
        const named = (receiptId: string) => ({ params: { receiptId } })
        const nobodys = named('rcp_nobodys')
        return { own: nobodys, foreign: { theirs: named(await theirReceipt(service)), nobodys, status: 404 } }
      },
      listOwnerActivity: () => ({ own: {}, foreign: OWN_SESSION }),
      listOwnerShops: () => ({ own: {}, foreign: OWN_SESSION }),
      readOwnerCharge: async () => {
        const named = (chargeId: string) => ({ params: { chargeId } })
        const nobodys = named('txn_nobodys')
        return { own: nobodys, foreign: { theirs: named(await theirCharge(service)), nobodys, status: 404 } }
      },
      listOwnerPermissions: () => ({ own: {}, foreign: OWN_SESSION }),
      readOwnerPermission: permission,
      listOwnerPermissionCharges: permission,
      pauseOwnerPermission: permission,
      endOwnerPermission: permission,
      listOwnerCards: () => ({ own: {}, foreign: OWN_SESSION }),
      askForMail: () => ({ own: { body: { email: 'ann@owners.example' } }, foreign: OWN_SESSION }),
      confirmMail: () => ({ own: { body: { code: '000000' } }, foreign: OWN_SESSION }),
      stopMail: () => ({ own: {}, foreign: OWN_SESSION }),
      listOwnerSessions: () => ({ own: {}, foreign: OWN_SESSION }),
      endOwnerSession: async () => {
        const [own, theirs, nobodys] = [await signIn(service, owner.authenticator), await newOwner(service), 'ows_none']
        const named = (sessionId: string) => ({ params: { sessionId } })
        const foreign = { theirs: named(await sessionOf(theirs)), nobodys: named(nobodys), status: 404 }
        return { own: named(await sessionOf(own)), foreign }
      },
      listOwnerPasskeys: () => ({ own: {}, foreign: OWN_SESSION }),
      nameOwnerPasskey: passkey({ name: 'Phone' }),
      endOwnerPasskey: passkey(),
      askDevice: () => ({ own: {}, foreign: OWN_SESSION }),
      readDevice: device(),
      deviceApprovalOptions: device(),
      allowDevice: device({ response: {} }),
      refuseDevice: device(),
      listOwnerRecoveries: () => ({ own: {}, foreign: OWN_SESSION }),
      stopOwnRecovery: async () => {
        const { address, owner: other } = await ownerWithCard(service)
        await waitingRecovery(service, address)
        const named = (recoveryId: string) => ({ params: { recoveryId } })
        const nobodys = named('rcv_nobodys')
        const { waiting } = (await other.get('/api/recoveries')).body
        return { own: nobodys, foreign: { theirs: named(waiting.recovery_id), nobodys, status: 404 } }
      },
      endOwnerSessions: () => ({ own: {}, foreign: OWN_SESSION }),
      // The row before has ended the session of the walk.
      async signOut() {
        session = await signIn(service, owner.authenticator)
        return { own: {}, foreign: OWN_SESSION }
      },
    },
  }
}

/** What the session of an owner is called. */
export async function sessionOf(owner: TestOwner): Promise<string> {
  const { sessions } = (await owner.get('/api/sessions')).body
  return sessions.find(({ current }: { current: boolean }) => current).session_id
}
