import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** One document as it goes over the wire: as it is, or compressed in the way a browser asked for. */
export interface Encoded {
  body: Buffer
  /** What to say of `body`; empty for a document as it is. */
  headers: Record<string, string>
}

export type Encodings = (acceptEncoding: string | undefined) => Encoded

/**
 * Compresses a document once, as small as it gets: it is sent as often as the page is opened. It holds no secret and nothing
 * that an outsider chose, so its compressed size tells nothing.
 */
export async function encodingsOf(document: string): Promise<Encodings> {
  const plain = Buffer.from(document, 'utf8')
  const [small, common] = await Promise.all([
    brotli(plain, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } }),
    zip(plain, { level: constants.Z_BEST_COMPRESSION }),
  ])
  const encoded: Record<string, Encoded> = {
    br: { body: small, headers: { 'content-encoding': 'br' } },
    gzip: { body: common, headers: { 'content-encoding': 'gzip' } },
  }
  const asItIs: Encoded = { body: plain, headers: {} }
  return (acceptEncoding) => encoded[preferred(acceptEncoding ?? '')] ?? asItIs
}

/** The smallest encoding that the header allows; `q=0` refuses one. Our own order counts, not the header's weights. */
function preferred(acceptEncoding: string): string {
  const allowed = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((item) => item.split(';').map((part) => part.trim()))
    .filter(([, weight]) => !/^q=0(\.0*)?$/.test(weight ?? ''))
    .map(([name]) => name)
  return ['br', 'gzip'].find((name) => allowed.includes(name)) ?? 'identity'
}
