// Guarantee: of all that the library of the authorization server would have its operator decide nothing is left to its defaults.
import { Provider } from 'oidc-provider'
import { expect, test } from 'vitest'
import { secret } from '../platform/secret.ts'
import { configurationOf } from './authorization.ts'
import type { AuthorizationDeps } from './deps.ts'

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

/** Of what is never given: tokens of grants that are off, those of OpenID, and names of a person by sector (`leniency.ts` takes no word for it). */
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
