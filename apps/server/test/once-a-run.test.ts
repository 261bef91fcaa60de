import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onceARun } from './once-a-run.ts'

const name = () => `of-this-test-${randomUUID()}`

test('of many that ask at the same time one makes it, and all are given it whole', async () => {
  const [what, callers] = [name(), Array.from({ length: 20 }, (_, caller) => caller)]
  const made: number[] = []
  const paths = await Promise.all(
    callers.map(async (caller) => {
      const path = await onceARun(what, async (begun) => {
        made.push(caller)
        await mkdir(begun)
        await writeFile(join(begun, 'whole'), 'yes')
      })
      return [path, await readFile(join(path, 'whole'), 'utf8')]
    }),
  )
  expect(made).toHaveLength(1)
  expect(new Set(paths.map(String)).size).toBe(1)
  expect(await onceARun(what, () => Promise.reject(new Error('it is there')))).toBe(paths[0]?.[0])
})

test('where making it fails the next one tries, and nothing of the first is left', async () => {
  const what = name()
  const failing = onceARun(what, async (begun) => {
    await mkdir(begun)
    await writeFile(join(begun, 'half'), '')
    throw new Error('half of it')
  })
  await expect(failing).rejects.toThrow('half of it')
  const path = await onceARun(what, async (begun) => {
    await mkdir(begun)
    await writeFile(join(begun, 'whole'), '')
  })
  await expect(readFile(join(path, 'half'))).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await readFile(join(path, 'whole'), 'utf8')).toBe('')
})
