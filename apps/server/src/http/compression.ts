import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompressSync, constants, gunzipSync, gzip } from 'node:zlib'

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
 * Compresses a document once, as small as it gets: it is sent as often as the page is opened. It holds no secret and
 * nothing that an outsider chose, so its compressed size tells nothing.
 */
export async function encodingsOf(document: string): Promise<Encodings> {
  const plain = Buffer.from(document, 'utf8')
  return choosing(plain, await compressed(plain))
}

interface Compressed {
  br: Buffer
  gz: Buffer
}

/** A document in both forms, each as small as it gets: a third of a second of processor time for a page. */
export async function compressed(plain: Buffer): Promise<Compressed> {
  const [br, gz] = await Promise.all([
    // Small blocks suit pages of which words, styles and script are a part each.
    brotli(plain, {
      params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length, [constants.BROTLI_PARAM_LGBLOCK]: 16 },
    }),
    zip(plain, { level: constants.Z_BEST_COMPRESSION }),
  ])
  return { br, gz }
}

/**
 * The same of a file that was built: its two forms lie beside it (`scripts/compress-page.ts`), so that no start has to
 * make them. They are made here where they are not there, or are those of another build.
 */
export async function encodingsOfFile(file: URL, document: string): Promise<Encodings> {
  const plain = Buffer.from(document, 'utf8')
  try {
    const [br, gz] = await Promise.all([readFile(new URL(`${file}.br`)), readFile(new URL(`${file}.gz`))])
    if (brotliDecompressSync(br).equals(plain) && gunzipSync(gz).equals(plain)) return choosing(plain, { br, gz })
  } catch {
    // Not there, or cut.
  }
  return encodingsOf(document)
}

function choosing(plain: Buffer, { br: small, gz: common }: Compressed): Encodings {
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
