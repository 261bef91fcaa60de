import type { Command } from 'commander'
import type { Difference, Reconciliation } from '../charges/service.ts'
import type { Operated } from '../compose/operated.ts'
import { amountFromMinor } from '../platform/money.ts'
import { needed, UsageError } from './usage.ts'

type App = Pick<Operated, 'charges' | 'parts'>
type Run = (work: (app: App) => Promise<unknown>) => Promise<void>

interface ReconcileOptions {
  from?: string
  to?: string
  table?: boolean
}

/** `network …`: which card network there is, and what it has of payments. */
export function addNetworkCommands(network: Command, run: Run, write: (text: string) => void = console.log): void {
  network
    .command('show')
    .description(
      "which card network it is, and how the operator's account there stands; ends with 1 where it is closed",
    )
    .action(() => run(({ parts }) => show(parts.network)))
  network
    .command('reconcile')
    .description('what our rows and the card network say differently of payments; ends with 1 where they do')
    .option('--from <time>', 'the first moment, ISO 8601; required')
    .option('--to <time>', 'the moment behind the last one; without it: now')
    .option('--table', 'the differences as a table, not as JSON')
    .action(({ from, to, table = false }: ReconcileOptions) => {
      const range = {
        from: timeOf('--from', needed(from, '--from')),
        to: to === undefined ? new Date() : timeOf('--to', to),
      }
      if (range.from >= range.to) throw new UsageError('--from must be before --to')
      return run(async ({ charges }) => {
        const { differences, ...summary } = await charges.reconcile(range)
        if (differences.length > 0 || summary.unheard > 0) process.exitCode = 1
        if (!table) return { ...summary, differences }
        write(tableOf(differences))
        return summary
      })
    })
}

/** No more of a key than its end is shown. */
async function show({ description, capabilities, account }: App['parts']['network']) {
  const { cardEntry: card_entry, currencies } = capabilities
  const shown = { ...description, card_entry, currencies }
  const standing = await account?.()
  if (standing === undefined) return shown
  if (standing.outcome !== 'ok') {
    process.exitCode = 1
    return { ...shown, account: null, unknown: standing.outcome === 'unknown' ? standing.cause : standing.reason }
  }
  const { isOpen: is_open, balance } = standing.value
  if (!is_open) process.exitCode = 1
  return { ...shown, account: { is_open, balance: amountFromMinor(balance.minor), currency: balance.currency } }
}

function timeOf(name: string, text: string): Date {
  const time = new Date(text)
  const isTime =
    /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/.test(text) && !Number.isNaN(Number(time))
  if (!isTime) throw new UsageError(`${name} must be a day or a time in UTC, as 2026-11-28 or 2026-11-28T12:00:00Z`)
  return time
}

const COLUMNS = ['merchantId', 'chargeId', 'what', 'here', 'network'] as const satisfies readonly (keyof Difference)[]

/** One line a difference, in columns. */
export function tableOf(differences: Reconciliation['differences']): string {
  const rows = [COLUMNS, ...differences.map((one) => COLUMNS.map((column) => one[column] ?? '-'))]
  const widths = COLUMNS.map((_, place) => Math.max(...rows.map((row) => row[place]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, place) => cell.padEnd(widths[place] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
