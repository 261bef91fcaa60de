import { randomBytes } from 'node:crypto'
import { CONSOLE_ROLES } from '@mintmark/contract/console'
import type { RouteExample } from '../src/http/testing/table-walk.ts'
import { deliveryExamples } from '../src/webhooks/delivery/testing/examples.ts'
import { consoleHeaders, demoAccount, signInToConsole } from './console.ts'
import { createSession, revoke } from './flows.ts'
import { inviteAs, newColleague, newColleagueAddress } from './people.ts'
import type { TestMerchant, TestService } from './service.ts'

const OWN_ACCOUNT = 'Names nothing: the account is the one whose cookie came.'
const KEY = { key: 'one-press-of-a-button' }

/** What the route walk sends to the console. */
export async function consoleWalk(service: TestService, other: TestMerchant) {
  const merchant = await demoAccount(service)
  let { cookie } = await signInToConsole(service)
  const working = () => consoleHeaders(service, cookie)
  const refused = {
    'a token that was never given': `mintmark_console=${randomBytes(32).toString('base64url')}`,
    'two tokens': `${cookie}; ${cookie}`,
    'the cookie of another name': cookie.replace('mintmark_console', 'mintmark_owner'),
  }
  const named = (name: string, id: string) => ({ params: { [name]: id } })
  const payment = async (): Promise<RouteExample> => {
    const [own, theirs] = [await createSession(merchant), await createSession(other)]
    const nobodys = named('paymentId', 'sess_nobodys')
    const foreign = { theirs: named('paymentId', theirs.session_id), nobodys, status: 404 }
    return { own: named('paymentId', own.session_id), foreign }
  }
  const eventOf = async (as: TestMerchant) => {
    await revoke(as, (await createSession(as)).session_id)
    await service.runJobs()
    return (await as.get('/v1/events?type=session.revoked')).body.data[0].id
  }
  const event = async (): Promise<RouteExample> => {
    const [own, theirs] = [await eventOf(merchant), await eventOf(other)]
    const nobodys = named('eventId', 'evt_nobodys')
    return { own: named('eventId', own), foreign: { theirs: named('eventId', theirs), nobodys, status: 404 } }
  }
  const mandateOf = async (as: TestMerchant) => {
    const made = await createSession(as, { mandate_setup: { recurring_frequency: 'monthly' } })
    return (made as typeof made & { mandate_id: string }).mandate_id
  }
  const permission = async (): Promise<RouteExample> => {
    const nobodys = named('permissionId', 'mdt_nobodys')
    const theirs = named('permissionId', await mandateOf(other))
    return { own: named('permissionId', await mandateOf(merchant)), foreign: { theirs, nobodys, status: 404 } }
  }
  const found = (): RouteExample => ({
    own: { query: { q: 'txn_nobodys' } },
    foreign: 'It answers that nothing was found, with 200 (console/payments.test.ts).',
  })
  const ofAccount = (): RouteExample => ({ own: {}, foreign: OWN_ACCOUNT })
  const { listWebhookDeliveries, getWebhookDelivery } = deliveryExamples(service.pool, { merchant, other })
  const people = await peopleExamples(service, other)
  return {
    baseUrl: service.consoleUrl,
    close: async () => {},
    credentials: Object.fromEntries(CONSOLE_ROLES.map((role) => [`console_${role}`, { working, refused }])),
    examples: {
      getConsoleSession: ofAccount,
      getConsoleHome: ofAccount,
      listConsolePayments: ofAccount,
      listConsolePermissions: ofAccount,
      listConsoleKeys: ofAccount,
      listConsoleEndpoints: ofAccount,
      listConsoleEvents: ofAccount,
      getConsolePayment: payment,
      getConsolePermission: permission,
      getConsoleEvent: event,
      findInConsole: found,
      listConsoleDeliveries: listWebhookDeliveries,
      getConsoleDelivery: getWebhookDelivery,
      resendConsoleDelivery: async () => withBody(await getWebhookDelivery()),
      getConsoleClock: ofAccount,
      advanceConsoleClock: () => ({
        own: { body: { seconds: 1 } },
        foreign: "Names nothing: the environment's one clock.",
      }),
      ...people,
      async endConsoleSessions() {
        // It ends the session of the walk, which goes on with another one.
        cookie = (await signInToConsole(service)).cookie
        return ofAccount()
      },
      // The last row: it ends the session of the walk.
      signOutOfConsole: ofAccount,
    },
  }
}

function withBody({ own, foreign }: RouteExample): RouteExample {
  if (typeof foreign === 'string') return { own: { ...own, body: KEY }, foreign }
  const { theirs, nobodys } = foreign
  return {
    own: { ...own, body: KEY },
    foreign: { ...foreign, theirs: { ...theirs, body: KEY }, nobodys: { ...nobodys, body: KEY } },
  }
}

/** People, passkeys and invitations: those of another account are as unknown as those of none. */
async function peopleExamples(service: TestService, other: TestMerchant) {
  const victim = await newColleague(service, { accountId: other.merchantId })
  await inviteAs(victim, newColleagueAddress(), 'viewer')
  const { invitations } = (await victim.get('/api/team')).body
  const { passkeys, sessions } = (await victim.get('/api/me')).body
  const link = `inv_${'0'.repeat(26)}.${'A'.repeat(43)}`
  const of =
    (
      name: string,
      [own, theirs]: readonly [string, string],
      body?: object,
      { status } = { status: 404 },
    ): (() => RouteExample) =>
    () => {
      const request = (id: string) => ({ params: { [name]: id }, ...(body && { body }) })
      return { own: request(own), foreign: { theirs: request(theirs), nobodys: request('psn_nobodys'), status } }
    }
  const about = (foreign: string, body?: object) => (): RouteExample => ({ own: body ? { body } : {}, foreign })
  const passkey = ['pky_own', passkeys[0].passkey_id] as const
  const key = ['sk_test_0000000000000000', other.secretKey.slice(0, 24)] as const
  return {
    getConsoleTeam: about(OWN_ACCOUNT),
    listConsoleActs: about(OWN_ACCOUNT),
    getConsoleMe: about(OWN_ACCOUNT),
    makeConsoleKey: about(OWN_ACCOUNT, { kind: 'secret', role: 'merchant', answer: null }),
    rollConsoleKey: of('key', key, { hours: 1, answer: null }, { status: 400 }),
    revokeConsoleKey: of('key', key),
    confirmAtConsole: about('It is signed for the account of the session.', { act: 'make_passkey' }),
    inviteToAccount: about(OWN_ACCOUNT, { email: 'no address', role: 'viewer', answer: null }),
    withdrawInvitation: of('invitationId', ['inv_own', invitations[0].invitation_id]),
    changeConsoleRole: of('personId', ['psn_demo', victim.personId], { role: 'owner', answer: null }),
    removeFromAccount: of('personId', ['psn_demo', victim.personId]),
    joinAccount: about('The link names it, and is refused to another address (console/invitations.test.ts).', { link }),
    openConsoleAccount: of('accountId', ['ma_nobodys', other.merchantId]),
    endConsoleSession: of('sessionId', ['pss_own', sessions[0].session_id]),
    newConsolePasskeyOptions: about(OWN_ACCOUNT, { answer: null }),
    addConsolePasskey: about(OWN_ACCOUNT, { name: 'Phone', response: {} }),
    nameConsolePasskey: of('passkeyId', passkey, { name: 'Phone' }),
    endConsolePasskey: of('passkeyId', passkey),
  }
}
