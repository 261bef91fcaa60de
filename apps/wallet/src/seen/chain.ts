import type { Receipt, ReceiptFile, ReceiptKey } from '@mintmark/contract/wire/receipts'

// Whether an owner's receipts are those that were signed, and all of them: each is signed by a key of the operator,
// stands at its place, and names the hash of the one before; the last one is the one that the list names as the newest.

export interface ChainHead {
  position: number
  sha256: string
}

export type ChainResult =
  | { state: 'none' }
  | { state: 'whole'; head: ChainHead }
  | { state: 'broken'; position: number }

export interface ChainSource {
  /** The newest receipt, as the list has it; null: there is none. */
  newest(): Promise<ChainHead | null>
  /** Receipts behind a position, in the order of the chain. */
  behind(position: number): Promise<Pick<ReceiptFile, 'keys' | 'receipts'>>
  /** The head that this browser saw the last time, which must still stand where it stood. */
  seen: ChainHead | null
}

export async function checkChain({ newest, behind, seen }: ChainSource): Promise<ChainResult> {
  const head = await newest()
  if (head === null) return seen === null ? { state: 'none' } : { state: 'broken', position: seen.position }
  if (seen !== null && seen.position > head.position) return { state: 'broken', position: head.position + 1 }
  const keys = new Map<string, CryptoKey>()
  let last: ChainHead | null = null
  while ((last?.position ?? 0) < head.position) {
    const file: Pick<ReceiptFile, 'keys' | 'receipts'> = await behind(last?.position ?? 0)
    if (file.receipts.length === 0) return { state: 'broken', position: (last?.position ?? 0) + 1 }
    for (const jws of file.receipts) {
      const next: ChainHead = { position: (last?.position ?? 0) + 1, sha256: await hashOf(jws) }
      const isKept = seen?.position !== next.position || seen.sha256 === next.sha256
      if (!isKept || !(await isLink(jws, last, await keyOf(jws, file.keys.keys, keys)))) {
        return { state: 'broken', position: next.position }
      }
      last = next
      // Written after the newest was read: the next look checks it.
      if (last.position === head.position) break
    }
  }
  return last?.sha256 === head.sha256 ? { state: 'whole', head } : { state: 'broken', position: head.position }
}

async function isLink(jws: string, last: ChainHead | null, key: CryptoKey | null): Promise<boolean> {
  const [header = '', payload = '', signature = '', ...more] = jws.split('.')
  if (key === null || more.length > 0) return false
  try {
    const { chain } = JSON.parse(textOf(payload)) as Receipt
    const isNext = chain.position === (last?.position ?? 0) + 1 && chain.previous === (last?.sha256 ?? null)
    return isNext && (await crypto.subtle.verify(ES256, key, bytesOf(signature), encode(`${header}.${payload}`)))
  } catch {
    return false
  }
}

const EC = { name: 'ECDSA', namedCurve: 'P-256' } as const
const ES256 = { name: 'ECDSA', hash: 'SHA-256' } as const

/** The key that a receipt names; null: it names none of the operator's. */
async function keyOf(jws: string, published: readonly ReceiptKey[], known: Map<string, CryptoKey>) {
  const kid = kidOf(jws)
  const jwk = published.find((key) => key.kid === kid)
  if (jwk === undefined) return null
  const key = known.get(jwk.kid) ?? (await crypto.subtle.importKey('jwk', plain(jwk), EC, false, ['verify']))
  known.set(jwk.kid, key)
  return key
}

const plain = ({ kty, crv, x, y }: ReceiptKey): JsonWebKey => ({ kty, crv, x, y })

function kidOf(jws: string): string | undefined {
  try {
    const { alg, kid } = JSON.parse(textOf(jws.split('.')[0] ?? ''))
    return alg === 'ES256' ? kid : undefined
  } catch {
    return undefined
  }
}

const encode = (text: string) => new TextEncoder().encode(text)
const textOf = (base64url: string) => new TextDecoder().decode(bytesOf(base64url))
const bytesOf = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

async function hashOf(jws: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encode(jws)))
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
