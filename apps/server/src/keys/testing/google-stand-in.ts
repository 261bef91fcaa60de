import { writeFile } from 'node:fs/promises'
import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose'
import { crc32c } from '../crc32c.ts'
import { type Call, createSafe, type Reply, type StandIn, startStandIn, strictBase64 } from './stand-in.ts'

const NAME = 'projects/shop-1/locations/europe-west3/keyRings/cards/cryptoKeys/wrap'
export const GOOGLE_KEY_ID = `google:${NAME}`
const EMAIL = 'mintmark@shop-1.iam.gserviceaccount.com'

/**
 * Google Cloud KMS, its token endpoint and the metadata server of a machine, in one. The statement of the service
 * account is verified, tokens are checked, and checksums are compared.
 */
export async function startGoogleStandIn(credentialsFile: string): Promise<StandIn> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const safe = createSafe()
  let tokens = 0
  const issue = (): Reply => {
    tokens += 1
    return { status: 200, body: { access_token: `ya29.${tokens}`, expires_in: 3599, token_type: 'Bearer' } }
  }
  const standIn = await startStandIn(async (call) => {
    const { method, url, headers } = call
    if (url === '/token') {
      const form = new URLSearchParams(call.body)
      const options = { issuer: EMAIL, audience: `${standIn.url}/token`, algorithms: ['RS256'] }
      const verified = await jwtVerify(form.get('assertion') ?? '', publicKey, options).catch(() => undefined)
      const isGood = verified?.payload.scope === 'https://www.googleapis.com/auth/cloudkms'
      return isGood ? issue() : { status: 400, body: { error: 'invalid_grant' } }
    }
    if (url === '/computeMetadata/v1/instance/service-accounts/default/token') {
      return headers['metadata-flavor'] === 'Google' ? issue() : { status: 403, body: {} }
    }
    if (headers.authorization !== `Bearer ya29.${tokens}`) return refusal(401, 'UNAUTHENTICATED')
    if (method !== 'POST') return refusal(404, 'NOT_FOUND')
    if (url === `/v1/${NAME}:encrypt`) return encrypt(call, safe)
    if (url === `/v1/${NAME}:decrypt`) return decrypt(call, safe)
    return refusal(404, 'NOT_FOUND')
  })
  const account = {
    type: 'service_account',
    client_email: EMAIL,
    private_key: await exportPKCS8(privateKey),
    private_key_id: 'k1',
    token_uri: `${standIn.url}/token`,
  }
  await writeFile(credentialsFile, JSON.stringify(account), { mode: 0o600 })
  return standIn
}

export const refusal = (status: number, name: string): Reply => ({
  status,
  body: { error: { code: status, message: 'no', status: name } },
})

type Safe = ReturnType<typeof createSafe>

function encrypt({ body }: Call, safe: Safe): Reply {
  const asked = JSON.parse(body)
  const [plaintext, aad] = [strictBase64(asked.plaintext), strictBase64(asked.additionalAuthenticatedData)]
  if (plaintext === undefined || aad === undefined) return refusal(400, 'INVALID_ARGUMENT')
  if (asked.plaintextCrc32c !== sum(plaintext)) return refusal(400, 'INVALID_ARGUMENT')
  const ciphertext = safe.encrypt(plaintext, aad)
  return {
    status: 200,
    body: {
      name: `${NAME}/cryptoKeyVersions/3`,
      ciphertext: ciphertext.toString('base64'),
      ciphertextCrc32c: sum(ciphertext),
      verifiedPlaintextCrc32c: true,
      verifiedAdditionalAuthenticatedDataCrc32c: true,
    },
  }
}

function decrypt({ body }: Call, safe: Safe): Reply {
  const asked = JSON.parse(body)
  const [ciphertext, aad] = [strictBase64(asked.ciphertext), strictBase64(asked.additionalAuthenticatedData)]
  if (ciphertext === undefined || aad === undefined) return refusal(400, 'INVALID_ARGUMENT')
  const plaintext = safe.decrypt(ciphertext, aad)
  if (plaintext === undefined) return refusal(400, 'INVALID_ARGUMENT')
  return { status: 200, body: { plaintext: plaintext.toString('base64'), plaintextCrc32c: sum(plaintext) } }
}

/** An int64 of JSON is a text. */
const sum = (bytes: Buffer) => String(crc32c(bytes))
