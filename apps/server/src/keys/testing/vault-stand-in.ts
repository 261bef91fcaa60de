import { type Call, createSafe, type Reply, type StandIn, startStandIn, strictBase64 } from './stand-in.ts'

export const VAULT_KEY_ID = 'vault:transit/cards'
export const VAULT_TOKEN = 'hvs.CAESIJ'

/** The transit engine of Vault, with one AEAD key. */
export function startVaultStandIn(): Promise<StandIn> {
  const safe = createSafe()
  return startStandIn(({ method, url, headers, body }: Call): Reply => {
    if (headers['x-vault-token'] !== VAULT_TOKEN) return refusal(403, 'permission denied')
    if (method !== 'POST') return refusal(405, 'unsupported operation')
    const asked = JSON.parse(body)
    const aad = strictBase64(asked.associated_data)
    if (aad === undefined) return refusal(400, 'failed to base64-decode associated_data')
    if (url === '/v1/transit/encrypt/cards') {
      const plaintext = strictBase64(asked.plaintext)
      if (plaintext === undefined) return refusal(400, 'failed to base64-decode plaintext')
      const ciphertext = `vault:v1:${safe.encrypt(plaintext, aad).toString('base64')}`
      return { status: 200, body: { request_id: 'r', data: { ciphertext, key_version: 1 } } }
    }
    if (url === '/v1/transit/decrypt/cards') {
      const [, text] = /^vault:v1:(.*)$/.exec(String(asked.ciphertext)) ?? []
      if (text === undefined) return refusal(400, 'invalid ciphertext: no prefix')
      const ciphertext = strictBase64(text)
      if (ciphertext === undefined) return refusal(400, 'invalid ciphertext: could not decode base64')
      const plaintext = safe.decrypt(ciphertext, aad)
      if (plaintext === undefined) return refusal(400, 'cipher: message authentication failed')
      return { status: 200, body: { request_id: 'r', data: { plaintext: plaintext.toString('base64') } } }
    }
    return refusal(404, 'no handler for route')
  })
}

export const refusal = (status: number, words: string): Reply => ({ status, body: { errors: [words] } })
