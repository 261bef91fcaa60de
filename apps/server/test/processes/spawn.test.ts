import { expect, test } from 'vitest'
import { freePort, freePorts } from './spawn.ts'

test.each([
  ['one', freePort],
  ['six in a row', freePorts],
])('%s: ports are given once, also before anybody listens there', async (_, free) => {
  const given = await Promise.all(Array.from({ length: 200 }, () => free()))
  expect(new Set(given).size).toBe(given.length)
})
