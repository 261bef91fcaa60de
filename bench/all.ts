import { spawn } from 'node:child_process'
import { join } from 'node:path'

// npm run bench                  requests, the lean program, events, deliveries, charges, agents' charges, quotes, orders: some thirteen minutes
// npm run bench -- --quick       some seconds each: shows only that the benchmarks work
// npm run bench -- --only WORD   requests alone, those whose name contains a word
//
// All other options are those of bench/main.ts. The rest of the folder is run by itself: each file says how.

const given = process.argv.slice(2)
const isQuick = given.includes('--quick')

const others = async () => {
  await run('lean.ts', isQuick ? ['--quick'] : [])
  await run('events.ts', isQuick ? ['--seconds', '0.25', '--rounds', '1'] : [])
  await run('deliveries.ts', isQuick ? ['--quick'] : [])
  // It sends a statement of the service with values of its own, which have to follow the statement.
  await run('charges.ts', isQuick ? ['--mandates', '1000', '--seconds', '0.25', '--rounds', '1', '--callers', '8'] : [])
  await run(
    'agent-charges.ts',
    isQuick ? ['--mandates', '640', '--agents', '16', '--seconds', '0.25', '--rounds', '1'] : [],
  )
  // pgbench measures no less than a second.
  await run('quotes.ts', isQuick ? ['--seconds', '1', '--rounds', '1'] : [])
  await run('orders.ts', isQuick ? ['--seconds', '1', '--rounds', '1', '--callers', '8'] : [])
}

const requests = run('main.ts', given)
// No reader relies on the numbers of a quick run: it need not wait for a quiet machine.
if (!isQuick) await requests
await Promise.all([requests, given.includes('--only') ? undefined : others()])

/** In a process of its own: what one leaves in memory must not slow down the next. */
async function run(file: string, options: string[]): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...options], { stdio: 'inherit' })
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.once('close', resolve)
  const code = await promise
  if (code !== 0) process.exit(code ?? 1)
}
