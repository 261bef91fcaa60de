import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'
import { PublicError } from '../platform/errors.ts'
import { parseStrictJson } from '../platform/strict-json.ts'
import type { CatalogLine } from '../wallets/store/service.ts'
import { needed } from './usage.ts'

type Run = (work: (app: Pick<Operated, 'stores'>) => Promise<unknown>) => Promise<void>

/** `store …`: what the customers of the wallet API can buy. */
export function addStoreCommands(store: Command, run: Run): void {
  store
    .command('import')
    .description(
      'merchants and what they sell, from a file of JSON lines; those that it has are as it says from then on, others stay',
    )
    .argument('<FILE>', 'the file')
    .option('--merchant <id>', 'the account that sells; required')
    .action((file: string, { merchant }: { merchant?: string }) => {
      const [path, merchantId] = [needed(file, 'FILE'), needed(merchant, '--merchant')]
      return run(({ stores }) => stores.importCatalog(merchantId, linesOf(path)))
    })
}

/** A longer one is no line of such a file: it would only fill the memory. */
const MAX_LINE_BYTES = 64 * 1024
const LINE_END = 0x0a

/** The JSON of each line of a file that is not blank. One line is in memory at a time, whatever the file is. */
export async function* linesOf(file: string): AsyncIterable<CatalogLine> {
  let number = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunksOf(file)) {
    let from = 0
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      number += 1
      yield* lineOf(number, Buffer.concat([rest, chunk.subarray(from, end)]))
      rest = Buffer.alloc(0)
      from = end + 1
    }
    rest = Buffer.concat([rest, chunk.subarray(from)])
    if (rest.length > MAX_LINE_BYTES) break
  }
  yield* lineOf(number + 1, rest)
}

async function* chunksOf(file: string): AsyncIterable<Buffer> {
  try {
    yield* createReadStream(file) as AsyncIterable<Buffer>
  } catch (error) {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : ''}`, { cause: error })
  }
}

function* lineOf(number: number, bytes: Buffer): Iterable<CatalogLine> {
  if (bytes.length > MAX_LINE_BYTES) {
    yield {
      number,
      problems: { '': `it is longer than ${MAX_LINE_BYTES} bytes: each merchant and product has a line` },
    }
  } else if (!/^\s*$/.test(bytes.toString('latin1'))) yield { number, ...parsed(number, bytes) }
}

function parsed(number: number, bytes: Buffer): { value: unknown } | { problems: Record<string, string> } {
  const hasMark = number === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)
  try {
    return { value: parseStrictJson(hasMark ? bytes.subarray(3) : bytes) }
  } catch (error) {
    if (!(error instanceof PublicError)) throw error
    const { body, ...fields } = error.details ?? {}
    return { problems: body === undefined ? fields : { '': `it ${body}` } }
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
