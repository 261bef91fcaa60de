// Guarantee: what a supervisor starts is the service itself: it hears the signals, and nothing of it stays behind.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { databaseProcesses, eventually, freePorts, preparedHome } from './program.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const EXECUTABLE = join(ROOT, 'bin/mintmark')

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/ready`).then(
    ({ ok }) => ok || undefined,
    () => undefined,
  )

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
  await eventually(() => isReady(port))
  // Opens no debugger, and does not end the process either.
  child.kill('SIGUSR1')
  expect(await isReady(port)).toBe(true)
  child.kill(signal)
  expect(await ended).toEqual([0, null])
  expect(output).toBe('')
  expect(await databaseProcesses(home)).toEqual([])
})

const { start: START } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).scripts

test('SIGTERM to the shell in which npm starts it ends the service and its database', async () => {
  const home = await preparedHome()
  const port = await freePorts()
  const env = { PATH: process.env.PATH, MINTMARK_HOME: home, PORT: String(port), LOG_LEVEL: 'silent' }
  // As npm does it, and passes a signal on: to the shell, whatever the shell has become.
  const child = spawn('sh', ['-c', START], { cwd: ROOT, env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await eventually(() => isReady(port))
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(await databaseProcesses(home)).toEqual([])
})

test('npm start says that there is no Node 24 where npm has run no install scripts', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'mintmark-installed-'))
  try {
    await mkdir(join(directory, 'bin'))
    await copyFile(EXECUTABLE, join(directory, 'bin/mintmark'))
    const old = join(directory, 'old')
    await mkdir(old)
    await writeFile(join(old, 'node'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const env = { PATH: `${old}:${process.env.PATH}` }
    const { status, stderr } = spawnSync('sh', ['-c', START], { cwd: directory, env, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'mintmark: there is no Node 24. Run "npm ci" with install scripts, or put Node 24 on PATH.\n',
    })
  } finally {
    await rm(directory, { recursive: true })
  }
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
