// Guarantee: a client gives its own tokens back, with a secret or without one, and no other client's, also where both act as the same agent
// (RFC 7009).
import { afterAll, expect, test } from 'vitest'
import {
  askOwner,
  callerOf,
  grantOf,
  linkedClient,
  REDIRECT,
  refresh,
  register,
  revoke,
  startToolParty,
  trade,
} from '../../test/tool-clients.ts'

const party = await startToolParty({ isForCrowds: true })
const { service, documents } = party
afterAll(party.close)

interface Holder {
  clientId: string
  agentId: string
  token: string
  refreshToken: string
  /** What it shows of itself beside its name. */
  shown: Record<string, string>
}

/** A client that has shown a document, and no secret. */
const publicClient = async (approval: object = {}): Promise<Holder> => ({
  ...(await linkedClient(service, { clientId: documents.url('/public.json') }, approval)),
  shown: {},
})

async function clientWithSecret(approval: object = {}): Promise<Holder> {
  const method = 'client_secret_post'
  const { body } = await register(service, { redirect_uris: [REDIRECT], token_endpoint_auth_method: method })
  const shown = { client_secret: body.client_secret }
  const grant = await grantOf(service, await askOwner(service, { clientId: body.client_id }), approval)
  const { body: tokens } = await trade(service, grant, shown)
  const { agent_id: agentId } = await callerOf(service, tokens.access_token)
  return { clientId: body.client_id, agentId, token: tokens.access_token, refreshToken: tokens.refresh_token, shown }
}

const KINDS = { 'without a secret': publicClient, 'with a secret': clientWithSecret }
const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[]
const TOKENS = ['token', 'refreshToken'] as const
const HINTS = [undefined, 'access_token', 'refresh_token']

test.each(kinds.flatMap((kind) => TOKENS.map((which) => [kind, which] as const)))(
  'a client %s gives back its %s, and has none any more',
  async (kind, which) => {
    for (const hint of HINTS) {
      const own = await KINDS[kind]()
      const more = { ...own.shown, token_type_hint: hint }
      expect(await revoke(service, own.clientId, own[which], more)).toEqual({ status: 200, body: null })
      expect(await callerOf(service, own.token)).toBeUndefined()
      expect((await refresh(service, own, own.shown)).status).toBe(400)
      // RFC 7009 (2.2): what is over already is given back.
      expect((await revoke(service, own.clientId, own[which], more)).status).toBe(200)
    }
  },
)

test.each(['old', 'new'] as const)('the %s one of two refresh tokens takes both with it', async (which) => {
  const own = await publicClient()
  // Within the time in which the old one gives the same answer again.
  const { body } = await refresh(service, own)
  const next = { clientId: own.clientId, refreshToken: body.refresh_token }
  const given = which === 'old' ? own : next
  expect((await revoke(service, own.clientId, given.refreshToken)).status).toBe(200)
  for (const each of [own, next]) expect((await refresh(service, each)).status).toBe(400)
  for (const token of [own.token, body.access_token]) expect(await callerOf(service, token)).toBeUndefined()
})

test.each(kinds.flatMap((kind) => kinds.map((other) => [kind, other] as const)))(
  'a client %s gives back nothing of one %s, and is told so',
  async (kind, other) => {
    const theirs = await KINDS[other]()
    // Also where both act as the same agent: each client of it has been let in by itself.
    for (const approval of [{ owner: 'somebody' }, { agent_id: theirs.agentId }]) {
      const { clientId, shown } = kind === other ? await second(kind, approval) : await KINDS[kind](approval)
      for (const which of TOKENS) {
        for (const hint of HINTS) {
          const answer = await revoke(service, clientId, theirs[which], { ...shown, token_type_hint: hint })
          expect(answer).toEqual({
            status: 400,
            body: { error: 'invalid_grant', error_description: 'token was issued to another client' },
          })
        }
      }
    }
    expect(await callerOf(service, theirs.token)).toMatchObject({ agent_id: theirs.agentId })
    expect((await refresh(service, theirs, theirs.shown)).status).toBe(200)
  },
)

/** Another client of the same kind: each that registers is one. */
const second = async (kind: keyof typeof KINDS, approval: object): Promise<Pick<Holder, 'clientId' | 'shown'>> =>
  kind === 'with a secret'
    ? clientWithSecret(approval)
    : { ...(await linkedClient(service, { clientId: documents.url('/second.json') }, approval)), shown: {} }

test('nothing is given back by who says a name and not its secret, nor by nobody, and what is no token is over', async () => {
  const own = await clientWithSecret()
  for (const shown of [{}, { client_secret: 'wrong' }]) {
    expect((await revoke(service, own.clientId, own.token, shown)).status).toBe(401)
  }
  expect((await revoke(service, undefined, own.token)).status).toBe(400)
  expect(await callerOf(service, own.token)).toMatchObject({ agent_id: own.agentId })
  expect((await revoke(service, own.clientId, 'nobody', own.shown)).status).toBe(200)
})
