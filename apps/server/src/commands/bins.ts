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
  const input = createReadStream(file)
  // Before the first line is asked for: a file that is not there is said in one line.
  await new Promise<void>((resolve, reject) => {
    input.once('open', () => resolve())
    input.once('error', (error) => reject(new Error(`${file} cannot be read: ${error.message}`)))
  })
  let saidAt = performance.now()
  return bins.importTable(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }), (count) => {
    if (performance.now() - saidAt < PROGRESS_MILLIS) return
    saidAt = performance.now()
    console.error(`${count} ranges`)
  })
}
