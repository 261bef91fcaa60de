import { passkeyFailed } from './errors.ts'

/** The part of the browser's signed client data our own rules read. */
export interface ClientData {
  challenge: string
  origin: string
  crossOrigin: boolean
  topOrigin: string | undefined
}

/** What the browser signed, or `PASSKEY_FAILED`. The WebAuthn library reads the same bytes again and checks the type. */
export function parseClientData(bytes: Uint8Array): ClientData {
  const { challenge, origin, crossOrigin = false, topOrigin } = parseMembers(bytes)
  if (typeof challenge !== 'string' || typeof origin !== 'string') throw malformed('challenge or origin is no text')
  // The database is asked for it before anything is verified, and refuses U+0000 in a text with an error of its own.
  if (!BASE64URL.test(challenge)) throw malformed('the challenge is not as ours are written')
  if (typeof crossOrigin !== 'boolean') throw malformed('crossOrigin is no boolean')
  if (topOrigin !== undefined && typeof topOrigin !== 'string') throw malformed('topOrigin is no text')
  return { challenge, origin, crossOrigin, topOrigin }
}

const BASE64URL = /^[A-Za-z0-9_-]+$/

function parseMembers(bytes: Uint8Array): Record<string, unknown> {
  const { text, value } = parseJson(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('it is no object')
  const names = topLevelNames(text)
  // Two readers of the stored evidence must not see two origins: one takes the first of equal names, one the last.
  if (new Set(names).size !== names.length) throw malformed('a name occurs twice')
  return value as Record<string, unknown>
}

function parseJson(bytes: Uint8Array): { text: string; value: unknown } {
  try {
    // No replacement characters and no silently skipped byte order mark: text and signed bytes say the same.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { text, value: JSON.parse(text) }
  } catch (error) {
    throw passkeyFailed({ cause: error })
  }
}

/** A string, a bracket, or a comma or colon. The rest of valid JSON (numbers, literals, space) never matters here. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** Names of the outermost object in order, decoded (`"\u006frigin"` is `origin`). The text must be valid JSON. */
function topLevelNames(text: string): string[] {
  const names: string[] = []
  let depth = 0
  let last = ''
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (token === ':' && depth === 1) names.push(JSON.parse(last) as string)
    last = token
  }
  return names
}

function malformed(because: string) {
  return passkeyFailed({ cause: new Error(`Client data is malformed: ${because}.`) })
}
