import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import type { Operated } from '../compose/operated.ts'
import { needed } from './usage.ts'

type Run = (work: (app: Pick<Operated, 'bins'>) => Promise<unknown>) => Promise<void>

/** Between two lines of progress. */
const PROGRESS_MILLIS = 1_000

/** `bins …`: which country and issuer cards are of, by their first digits. */
export function addBinCommands(bins: Command, run: Run): void {
  bins
    .command('import')
    .description(
      'a CSV file in place of the table: first (or bin), last, country, issuer. It is used when all of it is there',
    )
    .argument('<FILE>', 'the file')
    .action((file: string) => run((app) => importFile(app, needed(file, 'FILE'))))
}

async function importFile({ bins }: Pick<Operated, 'bins'>, file: string): Promise<unknown> {
  let saidAt = performance.now()
  return bins.importTable(linesOf(file), (count) => {
    if (performance.now() - saidAt < PROGRESS_MILLIS) return
    saidAt = performance.now()
    console.error(`${count} ranges`)
  })
}

/** A file that is not there, and one that fails in the middle, are said by their name. */
async function* linesOf(file: string): AsyncIterable<string> {
  try {
    yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  } catch (error) {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : ''}`, { cause: error })
  }
}
