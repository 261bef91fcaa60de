import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { RECEIPT_FILE_FORMAT, RECEIPT_TYPE } from '@mintmark/contract/receipt'
import type { Receipt, ReceiptFile, ReceiptKey } from '@mintmark/contract/wire/receipts'
import { hashText } from '../bytes.ts'

// Receipts as the service makes them, for tests that need no service.

export interface TestKey {
  privateKey: KeyObject
  jwk: ReceiptKey
}

export function newKey(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const kid = hashText(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
  return { privateKey, jwk: { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' } }
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function signed({ privateKey, jwk }: TestKey, receipt: object, header: object = {}): string {
  const text = `${encoded({ alg: 'ES256', typ: RECEIPT_TYPE, kid: jwk.kid, ...header })}.${encoded(receipt)}`
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

export const SENTENCE = 'Allow Shopper to pay Café Central up to €45.00.'

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()

/** What a passkey signs over terms, at `wallet.example`. */
export function proofOf(terms: string, { isBeside = false } = {}): NonNullable<Receipt['proof']> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const nonce = randomBytes(32)
  const challenge = sha256(Buffer.concat([nonce, sha256(terms)])).toString('base64url')
  const clientData = Buffer.from(
    JSON.stringify({ type: 'webauthn.get', challenge, origin: 'https://wallet.example', crossOrigin: false }),
  )
  const authenticatorData = Buffer.concat([sha256('wallet.example'), Buffer.from([0x05, 0, 0, 0, 1])])
  const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), privateKey)
  return {
    rp_id: 'wallet.example',
    public_key: { kty: 'EC', crv: 'P-256', x, y },
    nonce: nonce.toString('base64url'),
    terms_sha256: hashText(terms),
    terms: isBeside ? null : terms,
    client_data_json: clientData.toString('base64url'),
    authenticator_data: authenticatorData.toString('base64url'),
    signature: signature.toString('base64url'),
  }
}

export const TERMS = JSON.stringify({
  type: 'mandate',
  mandate_id: 'mdt_1',
  sentence: { text: SENTENCE, language: 'en' },
})

export function receiptOf(changes: Partial<Receipt> & Pick<Receipt, 'chain'>): Receipt {
  return {
    ...{
      iss: 'https://wallet.example',
      jti: `rcp_${changes.chain.position}`,
      iat: 1_795_000_000,
      sub: hashText('owner'),
    },
    ...{ v: 1, environment: 'sandbox', act: 'charge', about: { type: 'charge', id: 'txn_1' } },
    ...{ occurred_at: '2026-11-27T10:00:00.000Z', outcome: 'number_made', code: null, sentence: null },
    agent: { name: 'Shopper', jkt: hashText('agent') },
    amount: { value: '40.00', currency: 'EUR' },
    shop: { name: 'Café Central', url: 'https://cafe.example', country: 'AT' },
    ...{ lines_sha256: hashText('[]'), permission: null, proof: null },
    ...changes,
  }
}

/** An approval and a charge under it: positions 1 and 2 of a chain. */
export function madeChain(key: TestKey, { isBeside = false } = {}) {
  const approval = signed(
    key,
    receiptOf({
      ...{ act: 'approval', outcome: 'allowed', about: { type: 'permission', id: 'mdt_1' } },
      sentence: { language: 'en', text: SENTENCE, sha256: hashText(SENTENCE) },
      ...{ proof: proofOf(TERMS, { isBeside }), chain: { position: 1, previous: null } },
    }),
  )
  const permission = { id: 'mdt_1', jti: 'rcp_1', sha256: hashText(approval) }
  const charge = signed(key, receiptOf({ permission, chain: { position: 2, previous: hashText(approval) } }))
  return [approval, charge] as const
}

export function fileOf(key: TestKey, receipts: readonly string[], terms: readonly string[] = []): ReceiptFile {
  return { format: RECEIPT_FILE_FORMAT, keys: { keys: [key.jwk] }, receipts: [...receipts], terms: [...terms] }
}
