import { AGENT_SCOPES, type AgentScope } from '@mintmark/contract/agents'
import { isRecord } from '../platform/json.ts'
import { isOfWebOrLoopback, OAUTH_ROUTES, scopesIn } from './wire.ts'

// Clients as they are. Programs send what some other server asked of them, and a refusal ends there: no person sees why. What this server has no
// use for is left out before the library judges it, as RFC 7591 (2, 3.2.1) and RFC 6749 (3.1, 3.3) want it; what it would have to believe is not.

/** Least right of all: what a client gets that asks for nothing that there is. */
const MIN_SCOPE: AgentScope = 'payments:read'

/** Those that there are, at least one: the owner reads them, and signs them. */
function scopeAsked(given: string): string {
  const known = scopesIn(given)
  return (known.length === 0 ? [MIN_SCOPE] : known).join(' ')
}

/** What an authorization may say. No OpenID is spoken here, so its parameters are unknown ones; the last three are refused by name. */
const ASKED = [
  ...['response_type', 'response_mode', 'client_id', 'redirect_uri', 'scope', 'state', 'resource', 'prompt'],
  ...['code_challenge', 'code_challenge_method', 'request', 'request_uri', 'registration'],
]

/** `prompt` asks that the owner be asked, which they are each time. A client that wants the owner not asked is refused. */
const isForSilence = (prompt: string) => prompt.split(' ').includes('none')

/** How an answer may come. A form that posts itself needs a script, which the policy of this server lets no page run. */
export const RESPONSE_MODES = ['query', 'fragment']
const NO_MODE = 'none'

/** The query of an authorization. What is given twice stays so, and is refused. */
function authorizationAsTaken(query: string): string {
  const given = new URLSearchParams(query)
  const taken = new URLSearchParams([...given].filter(([name]) => ASKED.includes(name)))
  const [prompt, ...prompts] = given.getAll('prompt')
  if (prompt !== undefined && prompts.length === 0 && !isForSilence(prompt)) taken.delete('prompt')
  // The library would post, and the owner's browser stand still after they have signed. It refuses one that it does not know before.
  if (isSaid(given.get('response_mode')) && !isOneOf(given.get('response_mode'), RESPONSE_MODES)) {
    taken.set('response_mode', NO_MODE)
  }
  const [scope = '', ...scopes] = given.getAll('scope')
  if (scopes.length === 0) taken.set('scope', scopeAsked(scope))
  return taken.toString()
}

/** The form of a request for tokens. Which scopes a token may have was signed: unknown ones are none of them. */
function tokenFormAsTaken(form: string): string {
  const taken = new URLSearchParams(form)
  const [scope, ...scopes] = taken.getAll('scope')
  if (scope === undefined || scopes.length > 0) return form
  const known = scopesIn(scope).join(' ')
  if (known === '') taken.delete('scope')
  else taken.set('scope', known)
  return taken.toString()
}

const GRANT_TYPES = ['authorization_code', 'refresh_token']
const RESPONSE_TYPES = ['code']
const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post']
const APPLICATION_TYPES = ['native', 'web']
/** Addresses that a person may be shown. Nothing here opens them. */
const SHOWN = ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri']

/** Those that there are; where there are none, all: a client that registers wants to be let in. */
function among(given: unknown, known: readonly string[]): string[] {
  const kept = Array.isArray(given) ? known.filter((each) => given.includes(each)) : []
  return kept.length === 0 ? [...known] : kept
}

/** What a client may ask for later: what it named of ours, and always the least; all, where it named nothing. */
function scopeRegistered(given: unknown): string {
  const known = typeof given === 'string' ? scopesIn(given) : []
  return (known.length === 0 ? [...AGENT_SCOPES] : scopesIn([MIN_SCOPE, ...known].join(' '))).join(' ')
}

const isOneOf = (value: unknown, known: readonly string[]): boolean => known.includes(value as string)
const isShowable = (value: unknown) =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:'
const isSaid = (value: unknown) => value !== undefined && value !== null && value !== ''

/** The members that this server has a use for, and no others. An empty one was not given. */
function commonMembers(given: Record<string, unknown>): Record<string, unknown> {
  const shown = SHOWN.filter((name) => isShowable(given[name]))
  const plain = ['client_name', 'redirect_uris', 'sector_identifier_uri'].filter((name) => isSaid(given[name]))
  return {
    ...Object.fromEntries([...plain, ...shown].map((name) => [name, given[name]])),
    ...(isOneOf(given.application_type, APPLICATION_TYPES) && { application_type: given.application_type }),
    grant_types: among(given.grant_types, GRANT_TYPES),
    response_types: among(given.response_types, RESPONSE_TYPES),
    scope: scopeRegistered(given.scope),
  }
}

/**
 * What a client says of itself when it registers, as it is taken; the answer says it. An address that no browser is led to is left out where
 * there are others: a client names all that any server might want. Where there is none of ours, it is refused.
 */
function registrationAsTaken(given: Record<string, unknown>): Record<string, unknown> {
  const { token_endpoint_auth_method: method, redirect_uris: uris } = given
  const ours = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string' && isOfWebOrLoopback(uri)) : []
  return {
    ...commonMembers(given),
    ...(ours.length > 0 && { redirect_uris: ours }),
    // A client that is taken as a public one is told so, and brings a proof (PKCE) as all do. Said by us where it says nothing: else it is given
    // a secret as well, and refused when it uses that.
    token_endpoint_auth_method: isOneOf(method, AUTH_METHODS) ? method : 'none',
  }
}

/** A secret in a public document is none: these stay, and the document is refused for them. */
const SECRETS = ['client_secret', 'client_secret_expires_at']
const isOfSecret = (method: unknown) => typeof method === 'string' && method.startsWith('client_secret_')

/** What a client's document says of it. It may offer more ways to be known by than there are here; the one that is here is a public client's. */
export function documentAsTaken(given: Record<string, unknown>): Record<string, unknown> {
  const { client_id: clientId, token_endpoint_auth_method: method } = given
  return {
    client_id: clientId,
    ...commonMembers(given),
    ...Object.fromEntries(SECRETS.filter((name) => name in given).map((name) => [name, given[name]])),
    token_endpoint_auth_method: isOfSecret(method) ? method : 'none',
  }
}

/** A JSON object with what is taken of it; anything else as it came, to be refused by who reads it. */
export function jsonAsTaken(text: string, taken: (given: Record<string, unknown>) => Record<string, unknown>): string {
  try {
    const given: unknown = JSON.parse(text)
    return isRecord(given) ? JSON.stringify(taken(given)) : text
  } catch {
    return text
  }
}

export interface OAuthRequest {
  url: string
  /** The media type alone. */
  type: string | undefined
  body: string
}

/** A request to the authorization server, with what is taken of it. */
export function requestAsTaken({ url, type, body }: OAuthRequest): { url: string; body: string } {
  const [path = '', query = ''] = splitOnce(url, '?')
  if (path === OAUTH_ROUTES.authorization) return { url: `${path}?${authorizationAsTaken(query)}`, body }
  if (path === OAUTH_ROUTES.registration && type === 'application/json') {
    return { url, body: jsonAsTaken(body, registrationAsTaken) }
  }
  if (path === OAUTH_ROUTES.token && type === 'application/x-www-form-urlencoded') {
    return { url, body: tokenFormAsTaken(body) }
  }
  return { url, body }
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
