// Guarantee: what a supervisor starts is the service itself: it hears the signals, and nothing of it stays behind.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { databaseProcesses, eventually, freePorts, preparedHome } from './program.ts'

const EXECUTABLE = fileURLToPath(new URL('../../../../bin/mintmark', import.meta.url))

test.each(['SIGTERM', 'SIGINT'] as const)('%s to bin/mintmark ends the service and its database', async (signal) => {
  const home = await preparedHome()
  const port = await freePorts()
  // As a supervisor starts it: another directory, almost no environment.
  const env = { PATH: process.env.PATH, MINTMARK_HOME: home, PORT: String(port), LOG_LEVEL: 'silent' }
  const child = spawn(EXECUTABLE, ['all'], { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stdout.resume()
  const ended = once(child, 'exit')
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/ready`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    )
  await eventually(isReady)
  // Opens no debugger, and does not end the process either.
  child.kill('SIGUSR1')
  expect(await isReady()).toBe(true)
  child.kill(signal)
  expect(await ended).toEqual([0, null])
  expect(output).toBe('')
  expect(await databaseProcesses(home)).toEqual([])
})

test('a terminal starts Node as a supervisor does', async () => {
  const flagsIn = (line: string | undefined) => line?.match(/--[\w-]+(=\S+)?/g)
  const scripts = JSON.parse(await readFile(new URL('../../../../package.json', import.meta.url), 'utf8')).scripts
  const executed = (await readFile(EXECUTABLE, 'utf8')).split('\n').find((line) => line.startsWith('exec '))
  expect(flagsIn(executed)).toEqual(['--disable-sigusr1', '--max-semi-space-size=16', '--use-largepages=silent'])
  expect([flagsIn(scripts.start), flagsIn(scripts.mintmark)]).toEqual([flagsIn(executed), flagsIn(executed)])
})

test('what later starts run is kept in the user’s own cache, never among temporary files', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'mintmark-cache-'))
  const [temporary, cache] = [join(directory, 'tmp'), join(directory, 'cache')]
  try {
    const env = { PATH: process.env.PATH, TMPDIR: temporary, XDG_CACHE_HOME: cache }
    const child = spawn(EXECUTABLE, ['--help'], { cwd: '/', env, stdio: 'ignore' })
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(await readdir(join(cache, 'mintmark'))).toHaveLength(1)
    await expect(readdir(temporary)).rejects.toMatchObject({ code: 'ENOENT' })
  } finally {
    await rm(directory, { recursive: true })
  }
})
