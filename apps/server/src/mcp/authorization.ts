import { createPrivateKey } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AGENT_SCOPES } from '@mintmark/contract/agents'
import {
  type Client,
  type Configuration,
  errors,
  interactionPolicy,
  type JWK,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import type { Secret } from '../platform/secret.ts'
import { createAdapter } from './adapter.ts'
import { createConsent, linkIdOf } from './consent.ts'
import { type AuthorizationDeps, resourceOf } from './deps.ts'
import { createDocumentFetch, isFetchable } from './documents.ts'
import { grantNamed } from './grant.ts'
import { RESPONSE_MODES } from './leniency.ts'
import { ACCESS_TOKEN_SECONDS, TTL } from './lifetimes.ts'
import { nameSuccessors } from './successors.ts'
import { isOfWebOrLoopback, nameOf, OAUTH_ROUTES, redirectHostOf, scopesIn } from './wire.ts'

/**
 * The authorization server of the tool protocol: OAuth 2.1 for public clients, and for those that were given a secret when they registered.
 * No owner signs in here. Each authorization is a link of an agent, which its owner approves at their own page, and none is remembered for the
 * next one.
 */
export function createAuthorization(deps: AuthorizationDeps) {
  const provider = new Provider(deps.apiUrl, configurationOf(deps))
  // What leads here is checked by the host; everything that is made of it has the public name, whatever a proxy says.
  provider.proxy = true
  nameSuccessors(provider)
  provider.use(async (ctx, next) => {
    await next()
    if (ctx.path === '/.well-known/oauth-authorization-server') narrow(ctx.body)
  })
  provider.on('server_error', (ctx, error) => logFailure(deps, ctx, error))
  // Where no listener takes an error, the library writes it to the console, in the error's own words.
  const app: EventEmitter = provider
  app.on('error', (error: Error & { expose?: boolean }, ctx: KoaContextWithOIDC) => {
    // Said to its caller, as the library leaves it out by itself.
    if (error.expose !== true) logFailure(deps, ctx, error)
  })
  const callback = provider.callback()
  const { protocol, host } = new URL(deps.apiUrl)
  const prepared = (request: IncomingMessage): IncomingMessage => {
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    request.headers['x-forwarded-host'] = host
    return request
  }
  return {
    handle: (request: IncomingMessage, response: ServerResponse) => callback(prepared(request), response),
    consent: createConsent(deps, provider, prepared),
  }
}
export type Authorization = ReturnType<typeof createAuthorization>

/** A caller who hung up is no failure: any caller can, as often as they like. */
function logFailure({ log }: AuthorizationDeps, { req }: Pick<KoaContextWithOIDC, 'req'>, error: unknown): void {
  if (!req.socket.destroyed) log.failure('the authorization server failed', error)
}

/** All that the library knows a default for and would have us decide is decided here. */
export function configurationOf(deps: AuthorizationDeps): Configuration {
  return {
    adapter: (kind: string) => createAdapter(deps, kind),
    jwks: { keys: [signingKeyOf(deps.signingKey)] },
    routes: OAUTH_ROUTES,
    responseTypes: ['code'],
    // What a client may name when it registers; it gets no more than that.
    scopes: [...AGENT_SCOPES],
    claims: {},
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    extraClientMetadata: { properties: ['sector_identifier_uri', 'redirect_uris'], validator: checkRegistered },
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'EdDSA',
    },
    cookies: {
      keys: [deps.cookiesKey.reveal().toString('base64url')],
      // No browser sends it back: an owner is asked each time.
      long: { httpOnly: true, sameSite: 'lax', path: '/oauth/none' },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    pkce: { required: () => true },
    ttl: TTL,
    features: featuresOf(deps),
    fetch: createDocumentFetch(deps.documentPolicy, deps.documentMillis),
    // Pages of other origins call nothing here: their agents have a server.
    clientBasedCORS: () => false,
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    findAccount: (_ctx, sub, token) => findAccount(deps, sub, token),
    loadExistingGrant,
    interactions: { policy: [onlyPrompt()], url: (ctx, interaction) => ask(deps, ctx, interaction.uid) },
    renderError(ctx) {
      const { headers, body } = deps.errorPage()
      ctx.set({ ...headers })
      ctx.body = body
    },
  }
}

const MAX_REDIRECTS = 20

/** What a client that registers itself says, beside what the library looks at: it has no document fetched, and leads to https or loopback alone. */
function checkRegistered(ctx: KoaContextWithOIDC | undefined, name: string, value: unknown): void {
  if (name === 'sector_identifier_uri' && value !== undefined) {
    throw new errors.InvalidClientMetadata('sector_identifier_uri is not supported: a client has no sector here')
  }
  if (name !== 'redirect_uris' || !Array.isArray(value) || ctx?.oidc?.route !== 'registration') return
  if (value.length > MAX_REDIRECTS) {
    throw new errors.InvalidRedirectUri(`redirect_uris must have at most ${MAX_REDIRECTS} addresses`)
  }
  const [other] = value.filter((uri) => !isOfWebOrLoopback(String(uri)))
  if (other !== undefined)
    throw new errors.InvalidRedirectUri('redirect_uris must begin with https, or lead to loopback')
}

/**
 * Only the client that a token was given to gives it back, with a secret or without one. Another is told, as RFC 7009 (2.1) wants it: a client
 * that hears that all is well believes that the token is over. The word is that of RFC 6749 (5.2) for what was issued to another client.
 */
function checkOwn(_ctx: unknown, client: Client, token: { clientId?: string | undefined }): true {
  if (token.clientId === client.clientId) return true
  throw new errors.CustomOIDCProviderError('invalid_grant', 'token was issued to another client')
}

function featuresOf(deps: AuthorizationDeps): NonNullable<Configuration['features']> {
  const off = { enabled: false }
  return {
    ...{ devInteractions: off, dPoP: off, userinfo: off, rpInitiatedLogout: off, pushedAuthorizationRequests: off },
    revocation: { enabled: true, allowedPolicy: checkOwn },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: async (_ctx, clientId) => isFetchable(clientId, deps.documentPolicy),
    },
    resourceIndicators: {
      enabled: true,
      // There is one. A client that names none, as older ones do, means it; a token for nothing in particular would be one for anything.
      defaultResource: async () => resourceOf(deps),
      useGrantedResource: async () => true,
      getResourceServerInfo(_ctx, resource) {
        if (resource !== resourceOf(deps)) throw new errors.InvalidTarget('resource is not one of this server')
        const format = { accessTokenFormat: 'opaque', accessTokenTTL: ACCESS_TOKEN_SECONDS } as const
        return { scope: AGENT_SCOPES.join(' '), audience: resource, ...format }
      },
    },
  }
}

/** A client that refreshes has an agent that is active: from its end on, no node refreshes. */
async function findAccount({ agents }: AuthorizationDeps, sub: string, token: unknown) {
  const name = (token as { grantId?: string } | undefined)?.grantId
  const grant = grantNamed(name)
  if (grant === undefined ? name !== undefined : (await agents.findGrant(grant))?.owner !== sub) return undefined
  return { accountId: sub, claims: () => ({ sub }) }
}

async function loadExistingGrant({ oidc }: KoaContextWithOIDC) {
  const grantId = oidc.result?.consent?.grantId
  return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId)
}

/** Every authorization asks the owner, also of a client that they have let in. */
function onlyPrompt() {
  const { Check, Prompt } = interactionPolicy
  const isAsked = new Check('owner', 'The owner has to approve.', ({ oidc }) =>
    oidc.result?.consent?.grantId === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
  )
  return new Prompt({ name: 'owner', requestable: false }, isAsked)
}

/** Makes the link, and says where the browser goes to be led to it. */
async function ask(deps: AuthorizationDeps, { oidc }: KoaContextWithOIDC, uid: string): Promise<string> {
  const { client, params } = oidc
  if (client === undefined) throw new errors.InvalidClient('there is no client')
  const redirectHost = redirectHostOf(String(params?.redirect_uri))
  if (redirectHost === undefined) {
    throw new errors.InvalidRequest('redirect_uri must begin with https, or lead to a program of this machine')
  }
  const linkId = linkIdOf(uid)
  const clientHost = hostOfDocument(client)
  const name = nameOf(client.clientName) ?? clientHost ?? redirectHost
  const scopes = scopesIn(String(params?.scope))
  await deps.agents.linkClient({ linkId, clientId: client.clientId, name, clientHost, redirectHost, scopes })
  return `${deps.apiUrl}/oauth/links/${linkId}`
}

/** The host that says who the client is; null: it has said so itself. */
function hostOfDocument({ clientId }: Client): string | null {
  return clientId.startsWith('https://') ? new URL(clientId).host : null
}

/** What of the metadata is true of this server, which knows no OpenID. */
function narrow(body: unknown): void {
  const metadata = body as Record<string, unknown>
  metadata.scopes_supported = [...AGENT_SCOPES]
  for (const name of ['claims_supported', 'subject_types_supported', 'id_token_signing_alg_values_supported']) {
    delete metadata[name]
  }
  metadata.response_modes_supported = [...RESPONSE_MODES]
  metadata.client_id_metadata_document_supported = true
}

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The library wants one; tokens are not signed but stored. */
function signingKeyOf(seed: Secret<Buffer>): JWK {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed.reveal()]), format: 'der', type: 'pkcs8' })
  return { ...(key.export({ format: 'jwk' }) as JWK), alg: 'EdDSA', use: 'sig' }
}
