// Guarantee: one process per home, and a dead one never blocks the next.
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acquireHomeLock, HomeInUseError, withoutSqliteWarning } from './home-lock.ts'
import { startService, temporaryDirectory, temporaryHome } from './testing/harness.ts'

test('a held home is refused with the pid of its holder, and free again after the release', async () => {
  const home = await temporaryDirectory()
  const lock = await acquireHomeLock(home)
  expect(readFileSync(join(home, 'lock.pid'), 'utf8')).toBe(`${process.pid}\n`)
  const refusal = await acquireHomeLock(home).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(HomeInUseError)
  expect(refusal).toHaveProperty(
    'message',
    `The home ${home} is in use by process ${process.pid}: stop that process, or choose another home.`,
  )
  lock.release()
  lock.release()
  const next = await acquireHomeLock(home)
  next.release()
})

test('the pid file of a dead holder blocks no start', async () => {
  const home = await temporaryDirectory()
  writeFileSync(join(home, 'lock.pid'), `${process.ppid}\n`)
  const lock = await acquireHomeLock(home)
  lock.release()
})

test('of five services that start together exactly one wins, and the losers name it', async () => {
  const home = await temporaryHome()
  const services = Array.from({ length: 5 }, () => startService(home))
  const said = await Promise.all(services.map((service) => service.next()))
  const winner = services[said.findIndex((line) => typeof line === 'object' && line !== null && 'connection' in line)]
  const losers = said.filter((line) => typeof line === 'object' && line !== null && 'error' in line)
  expect(losers).toHaveLength(4)
  for (const loser of losers) {
    expect(loser).toMatchObject({
      error: { name: 'HomeInUseError', message: expect.stringContaining(`process ${winner?.pid}:`) },
    })
  }
  winner?.child.kill('SIGTERM')
  await winner?.ended()
})

test('the lock of a killed service is gone with it', async () => {
  const home = await temporaryHome()
  await mkdir(home)
  const service = startService(home)
  await service.started()
  await expect(acquireHomeLock(home)).rejects.toThrow(HomeInUseError)
  service.child.kill('SIGKILL')
  await service.ended()
  const lock = await acquireHomeLock(home)
  lock.release()
})

test('a directory that cannot be locked is reported with what to do', async () => {
  const failure = acquireHomeLock('/nonexistent/home')
  await expect(failure).rejects.toThrow(/^Cannot lock \/nonexistent\/home\/lock\.sqlite .*the home must be/)
})

test("only SQLite's experimental warning is suppressed", async () => {
  const seen: string[] = []
  const listen = (warning: Error) => seen.push(warning.message)
  process.on('warning', listen)
  withoutSqliteWarning(() => {
    process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning')
    process.emitWarning('Another experiment', 'ExperimentalWarning')
  })
  await new Promise(setImmediate)
  process.off('warning', listen)
  expect(seen).toEqual(['Another experiment'])
})
