import { createHash, createHmac } from 'node:crypto'
import { type Call, createSafe, type Reply, type StandIn, startStandIn, strictBase64 } from './stand-in.ts'

export const AWS_CREDENTIALS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
const ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'
export const AWS_KEY_ID = `aws:${ARN}`

/** AWS KMS: JSON 1.1 with the operation in a header, and every call signed (Signature Version 4), which is checked. */
export function startAwsStandIn(): Promise<StandIn> {
  const safe = createSafe()
  return startStandIn((call) => {
    if (!isSigned(call)) return refusal('InvalidSignatureException')
    const { KeyId, Plaintext, CiphertextBlob, EncryptionContext } = JSON.parse(call.body)
    if (KeyId !== ARN) return refusal('NotFoundException')
    const aad = Buffer.from(JSON.stringify(Object.entries(EncryptionContext ?? {}).sort()))
    switch (call.headers['x-amz-target']) {
      case 'TrentService.Encrypt': {
        const plaintext = strictBase64(Plaintext)
        if (plaintext === undefined) return refusal('SerializationException')
        const blob = Buffer.concat([Buffer.from(`${ARN.slice(-12)}:`), safe.encrypt(plaintext, aad)])
        return ok({ KeyId: ARN, CiphertextBlob: blob.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' })
      }
      case 'TrentService.Decrypt': {
        const blob = strictBase64(CiphertextBlob)
        const isOurs = blob?.subarray(0, 13).toString() === `${ARN.slice(-12)}:`
        const plaintext = isOurs ? safe.decrypt(blob.subarray(13), aad) : undefined
        if (plaintext === undefined) return refusal('InvalidCiphertextException')
        return ok({ KeyId: ARN, Plaintext: plaintext.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' })
      }
      default:
        return refusal('UnknownOperationException')
    }
  })
}

const HEADERS = { 'content-type': 'application/x-amz-json-1.1' }
const ok = (body: object): Reply => ({ status: 200, body, headers: HEADERS })
export const refusal = (name: string, status = 400): Reply => ({
  status,
  body: { __type: name, message: 'no' },
  headers: HEADERS,
})

/** Made anew from what came, as AWS does. */
function isSigned({ method, url, headers, body }: Call): boolean {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/kms\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/
  const [, accessKeyId, day = '', region = '', names = '', signature] = parts.exec(headers.authorization ?? '') ?? []
  if (accessKeyId !== AWS_CREDENTIALS.accessKeyId || !names.split(';').includes('x-amz-target')) return false
  const canonical = [
    ...[method, url, ''],
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    ...['', names, createHash('sha256').update(body).digest('hex')],
  ].join('\n')
  const scope = `${day}/${region}/kms/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, createHash('sha256').update(canonical).digest('hex')]
  const hmac = (key: string | Buffer, value: string) => createHmac('sha256', key).update(value).digest()
  const key = [day, region, 'kms', 'aws4_request'].reduce(
    hmac as (key: Buffer, value: string) => Buffer,
    Buffer.from(`AWS4${AWS_CREDENTIALS.secretAccessKey}`),
  )
  return hmac(key, text.join('\n')).toString('hex') === signature
}
