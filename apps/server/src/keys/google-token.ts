import { readFile } from 'node:fs/promises'
import { importPKCS8, SignJWT } from 'jose'
import { exchange, isPassingStatus, type JsonAnswer, RemoteRefusal } from './remote.ts'

export interface GoogleTokenSettings {
  /** The key file of a service account. Null: the metadata server of the machine says who we are. */
  credentialsFile: string | null
  metadataHost: string
}

export interface GoogleTokens {
  get(signal: AbortSignal): Promise<string>
  /** The service refused it: the next `get` asks for another one. */
  forget(): void
}

const SCOPE = 'https://www.googleapis.com/auth/cloudkms'
/** So long before its end a token is not used any more. */
const MARGIN_MILLIS = 60_000

/** Access tokens, each used until shortly before its end. Calls that come together share one. */
export function createGoogleTokens(settings: GoogleTokenSettings): GoogleTokens {
  let kept: Token | undefined
  let asking: Promise<Token> | undefined
  return {
    async get(signal) {
      if (kept !== undefined && kept.endsAt > performance.now()) return kept.text
      asking ??= askToken(settings, signal).finally(() => {
        asking = undefined
      })
      kept = await asking
      return kept.text
    },
    forget() {
      kept = undefined
    },
  }
}

interface Token {
  text: string
  endsAt: number
}

async function askToken({ credentialsFile, metadataHost }: GoogleTokenSettings, signal: AbortSignal): Promise<Token> {
  const startedAt = performance.now()
  const answer = await (credentialsFile === null
    ? askMetadata(metadataHost, signal)
    : askWithKey(credentialsFile, signal))
  const { access_token: text, expires_in: seconds } = answer.body
  if (answer.status !== 200 || typeof text !== 'string' || typeof seconds !== 'number') {
    throw new RemoteRefusal(`NO_TOKEN_HTTP_${answer.status}`, { isPassing: isPassingStatus(answer.status) })
  }
  return { text, endsAt: startedAt + seconds * 1000 - MARGIN_MILLIS }
}

function askMetadata(host: string, signal: AbortSignal): Promise<JsonAnswer> {
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`
  return exchange(url, { method: 'GET', headers: { 'metadata-flavor': 'Google' }, signal })
}

/** RFC 7523: a statement signed with the account's key is traded for a token. */
async function askWithKey(file: string, signal: AbortSignal): Promise<JsonAnswer> {
  const { client_email, private_key, private_key_id, token_uri } = await readAccount(file)
  const key = await importPKCS8(private_key, 'RS256').catch((cause: unknown) => {
    throw unusable(cause)
  })
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: private_key_id })
    .setIssuer(client_email)
    .setAudience(token_uri)
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(key)
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return exchange(token_uri, { method: 'POST', headers, body: body.toString(), signal })
}

const ACCOUNT_FIELDS = ['client_email', 'private_key', 'private_key_id', 'token_uri'] as const
type Account = Record<(typeof ACCOUNT_FIELDS)[number], string>

/** Read for each token: the operator may exchange it. */
async function readAccount(file: string): Promise<Account> {
  const account: Partial<Account> = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => ({}))
  const isWhole = ACCOUNT_FIELDS.every((field) => typeof account[field] === 'string')
  if (isWhole && URL.canParse(account.token_uri ?? '')) return account as Account
  throw unusable()
}

/** Asking again does not help: the operator has to put the right file there. */
function unusable(cause?: unknown): RemoteRefusal {
  return new RemoteRefusal('CREDENTIALS_FILE_UNUSABLE', { isPassing: false, cause })
}
