// Guarantee: the service starts, stops, is killed and starts again without losing data, without leaving processes behind,
// and says in one line what keeps it from starting.
import { stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionBody } from '../service.ts'
import {
  callerOf,
  databaseProcesses,
  freePorts,
  note,
  type Program,
  preparedHome,
  readDevFile,
  runProgram,
  startProgram,
  temporaryHome,
} from './program.ts'

const STOPPED = { code: 0, signal: null }
const isRoot = process.getuid?.() === 0

async function startAll(home: string, env: Record<string, string> = {}): Promise<Program> {
  return startProgram(['all'], { home, port: await freePorts(), env })
}

async function demoCaller(program: Program) {
  return callerOf(program.apiUrl, (await readDevFile(program.home)).secret_key)
}

test('a home lives through SIGTERM, SIGINT and SIGKILL', async () => {
  const home = await preparedHome()
  const port = await freePorts()
  const millis: number[] = []
  const known: string[] = []
  let firstFile = {}
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL', 'SIGTERM'] as const) {
    const program = startProgram(['all'], { home, port })
    millis.push(Math.round(await program.ready()))
    const merchant = await demoCaller(program)
    for (const id of known) {
      expect((await merchant.get(`/v1/sessions/${id}/payment-result`)).body).toMatchObject({ status: 'pending' })
    }
    const created = await merchant.post('/v1/sessions', sessionBody())
    expect(created.status).toBe(201)
    known.push(created.body.session_id)
    if (known.length === 1) firstFile = await readDevFile(home)
    expect(await readDevFile(home)).toEqual(firstFile)
    expect(await program.stop(signal)).toEqual(signal === 'SIGKILL' ? { code: null, signal } : STOPPED)
    // After SIGKILL the database is an orphan that the next start takes over from.
    if (signal !== 'SIGKILL') expect(await databaseProcesses(home)).toEqual([])
  }
  note(`Milliseconds from spawn to ready, first and later starts: ${millis.join(', ')}`)
})

test('the first start says welcome and nothing else, and writes dev.json for its owner alone', async () => {
  const home = await temporaryHome()
  const program = await startAll(home, { LOG_LEVEL: 'info' })
  await program.ready()
  await expect.poll(program.output).toContain('Stop with Ctrl-C.')
  expect(program.output()).toMatch(/^\n {2}Mintmark sandbox, ready in /)
  const url = (offset: number) => `http://localhost:${program.port + offset}`
  expect(await readDevFile(home)).toEqual({
    api_url: url(0),
    wallet_api_url: url(1),
    surface_url: url(2),
    owner_url: url(4),
    merchant_id: expect.stringMatching(/^ma_\w{10}$/),
    secret_key: expect.stringMatching(/^sk_/),
    publishable_key: expect.stringMatching(/^pk_/),
    wallet_api_key: expect.any(String),
    webhook_secret: expect.stringMatching(/^whsec_/),
  })
  expect((await stat(join(home, 'dev.json'))).mode & 0o777).toBe(0o600)
  const { secret_key } = await readDevFile(home)
  expect(program.output()).not.toContain(secret_key)
  // Another program of this machine could take a port that is named and not in use.
  const named = Object.entries(await readDevFile(home)).filter(([name]) => name.endsWith('_url'))
  for (const [, address] of named) expect((await fetch(`${address}/health`)).status).toBe(200)
  await program.stop()
})

test('what a library writes to its console is a line of its log, without the words, and its own words stay', async () => {
  const library = `process.on('SIGUSR2', () => console.warn('planted words'))`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(library)}` }
  const program = await startAll(await preparedHome(), env)
  await program.ready()
  await expect.poll(program.output).toContain('Stop with Ctrl-C.')
  process.kill(program.pid, 'SIGUSR2')
  await expect.poll(program.output).toContain('"message":"a library wrote to the console"')
  expect(program.output()).not.toContain('planted words')
  expect(await program.stop()).toEqual(STOPPED)
})

test.skipIf(!isRoot)('root starts it below a directory only root may enter; PostgreSQL is not root', async () => {
  const home = join(await temporaryHome(), 'deeper', 'home')
  const program = startProgram(['all'], { home, port: await freePorts() })
  await program.ready()
  const [postmaster] = await databaseProcesses(home)
  expect((await stat(`/proc/${postmaster}`)).uid).not.toBe(0)
  expect(await program.stop()).toEqual(STOPPED)
  expect(await databaseProcesses(home)).toEqual([])
})

test('a second service on the same home is refused in one line', async () => {
  const home = await preparedHome()
  const first = await startAll(home)
  await first.ready()
  const second = await startAll(home)
  expect(await second.ended).toEqual({ code: 1, signal: null })
  expect(second.output()).toMatch(/^mintmark: MINTMARK_HOME .+ is in use by process \d+: stop that process, .+\n$/)
  expect(second.output()).toContain(`process ${first.pid}`)
  expect((await fetch(`${first.apiUrl}/ready`)).status).toBe(200)
  await first.stop()
})

test.each([
  { name: 'main API', offset: 0 },
  { name: 'wallet API', offset: 1 },
  { name: 'secure surface', offset: 2 },
])('a port in use for the $name is said, and nothing stays behind', async ({ name, offset }) => {
  const home = await preparedHome()
  const port = await freePorts()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(port + offset, '127.0.0.1', resolve))
  try {
    const { output, ...end } = await runProgram(['all'], { home, port })
    expect(end).toEqual({ code: 1, signal: null })
    expect(output).toBe(
      `mintmark: The ${name} cannot listen on 127.0.0.1:${port + offset}: another program uses the port. ` +
        'Set PORT to another number.\n',
    )
    expect(await databaseProcesses(home)).toEqual([])
  } finally {
    await new Promise((resolve) => other.close(resolve))
  }
})

test('everything wrong with the configuration is said at once, and nothing is started', async () => {
  const home = await temporaryHome()
  const env = { PORT: 'x', LOG_LEVEL: 'loud', SURFACE_URL: 'ftp://x/y', DATABASE_URL: 'mysql://x', LEASE_SECONDS: '1' }
  const { output, ...end } = await runProgram(['all'], { home, env })
  expect(end).toEqual({ code: 1, signal: null })
  for (const name of Object.keys(env)) expect(output).toMatch(new RegExp(`^  ${name} must .+$`, 'm'))
  await expect(stat(home)).rejects.toThrow('ENOENT')
})

test('an unknown command shows how to use it', async () => {
  const { output, code } = await runProgram(['sell'], { home: await temporaryHome() })
  expect(code).toBe(1)
  expect(output).toMatch(/^mintmark: there is no command "sell"\n\nUsage: mintmark <command>/)
})

test('help is printed and is no failure, also without a usable configuration', async () => {
  const env = { PORT: 'x' }
  for (const [words, usage] of [
    [['--help'], 'Usage: mintmark <command>'],
    [['help'], 'Usage: mintmark <command>'],
    [['all', '--help'], 'Usage: mintmark all'],
    [['help', 'key', 'create'], 'Usage: mintmark key create [options] <MERCHANT>'],
    [['key', 'create', '--help'], 'Usage: mintmark key create [options] <MERCHANT>'],
  ] as const) {
    const { output, code } = await runProgram([...words], { home: await temporaryHome(), env })
    expect(code).toBe(0)
    expect(output.startsWith(usage)).toBe(true)
  }
})
