// Guarantee: nothing that the library of the authorization server would have its operator decide is left to its defaults; and a caller who hangs up
// writes nothing to the log or the console of the service.
import { connect } from 'node:net'
import { Provider } from 'oidc-provider'
import { afterAll, expect, test, vi } from 'vitest'
import { authorizationUrl, REDIRECT, startToolParty } from '../../test/tool-clients.ts'
import { secret } from '../platform/secret.ts'
import { configurationOf } from './authorization.ts'
import type { AuthorizationDeps } from './deps.ts'

const party = await startToolParty({ isForCrowds: true, logs: 'error' })
const { service, documents, lines } = party
afterAll(party.close)

const seed = secret(Buffer.alloc(32, 1))
const DEPS = { apiUrl: 'https://api.pay.example', cookiesKey: seed, signingKey: seed, documentPolicy: {} }

/** What the library gives for what it cannot know says so when it is called. */
const ASKS_FOR_ANOTHER = /\b(?:shouldChange|mustChange)\(/

/** The names of the defaults that stand, below a part of the configuration; a feature that is off has none. */
function defaultsIn(value: unknown, path: string): string[] {
  if (typeof value === 'function') return ASKS_FOR_ANOTHER.test(value.toString()) ? [path] : []
  if (typeof value !== 'object' || value === null || (value as { enabled?: unknown }).enabled === false) return []
  return Object.entries(value).flatMap(([name, part]) => defaultsIn(part, path === '' ? name : `${path}.${name}`))
}

/** For what is never given: tokens of grants that are off, those of OpenID, and names of a person by sector (`leniency.ts` takes no word for it). */
const NEVER_CALLED = [
  'pairwiseIdentifier',
  ...['BackchannelAuthenticationRequest', 'ClientCredentials', 'DeviceCode', 'IdToken', 'PreAuthorizedCode'].map(
    (kind) => `ttl.${kind}`,
  ),
]

test('no default stands that its library wants changed', async () => {
  const library = new URL('lib/helpers/weak_cache.js', import.meta.resolve('oidc-provider/package.json')).href
  const { default: partsOf } = await import(library)
  const standing = (configuration: ConstructorParameters<typeof Provider>[1]) =>
    defaultsIn(partsOf(new Provider(DEPS.apiUrl, configuration)).configuration, '')
  expect(standing(configurationOf(DEPS as unknown as AuthorizationDeps)).sort()).toEqual(NEVER_CALLED)
  // That they are found, where they stand.
  const { adapter, jwks } = configurationOf(DEPS as unknown as AuthorizationDeps)
  const bare = standing({
    adapter,
    jwks,
    features: { revocation: { enabled: true }, devInteractions: { enabled: false } },
  } as never)
  expect(bare).toEqual(expect.arrayContaining(['features.revocation.allowedPolicy', 'ttl.Grant', 'findAccount']))
})

/** Ends once the library has told of a failure, and all who listen have heard it. */
function failureTold(): Promise<void> {
  const told = Promise.withResolvers<void>()
  const { emit } = Provider.prototype
  const spy = vi.spyOn(Provider.prototype, 'emit').mockImplementation(function (this: Provider, name, ...about) {
    const isHeard = emit.call(this, name, ...about)
    if (name === 'server_error') told.resolve()
    return isHeard
  })
  return told.promise.finally(() => spy.mockRestore())
}

test('a caller who hangs up in the middle of it is no line', async () => {
  const written = vi.spyOn(globalThis.console, 'error').mockReturnValue()
  lines.length = 0
  const asked = Promise.withResolvers<() => void>()
  const clientId = documents.url('/held.json')
  const document = JSON.stringify({ client_id: clientId, redirect_uris: [REDIRECT] })
  documents.answer.set('/held.json', (respond) => asked.resolve(() => respond(200, document)))
  const host = await service.app.buildApiHost()
  const left = new Promise((resolve) => host.server.on('connection', (socket) => socket.on('close', resolve)))
  await host.listen({ host: '127.0.0.1', port: 0 })
  const { pathname, search } = new URL(authorizationUrl(service, { clientId }))
  const socket = connect((host.server.address() as { port: number }).port, '127.0.0.1')
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${new URL(service.apiUrl).host}\r\n\r\n`)
  const answer = await asked.promise
  socket.resetAndDestroy()
  await left
  const told = failureTold()
  answer()
  await told
  await host.close()
  expect(written.mock.calls).toEqual([])
  expect(lines).toEqual([])
})
