import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../apps/server/src/config.ts'

// Guarantee: an image that is built where a service ran holds neither its keys nor its data, whatever it is built with.

const ROOT = join(import.meta.dirname, '..')
const linesOf = async (name: string) => {
  const lines = (await readFile(join(ROOT, name), 'utf8')).split('\n')
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
}

test('what is no part of the repository is no part of the image, wherever it lies', async () => {
  const left = await linesOf('.dockerignore')
  for (const line of await linesOf('.gitignore')) expect(left).toContain(`**/${line.replace(/\/$/, '')}`)
  expect(left).toContain(`**/${readConfig({}).home.split('/').at(-1)}`)
  // A line that begins with it would bring something back.
  expect(left.filter((line) => line.startsWith('!'))).toEqual([])
})

test('there is one list: podman and buildah would take this one instead, which Docker does not know', () => {
  for (const name of ['.containerignore', 'Containerfile.dockerignore', 'Containerfile.containerignore']) {
    expect([name, existsSync(join(ROOT, name))]).toEqual([name, false])
  }
})

test('the home of an image is below its volume, where a restore can make it anew', async () => {
  const text = (await linesOf('Containerfile')).join('\n')
  const volume = /^VOLUME (\S+)$/m.exec(text)?.[1] ?? '?'
  const home = /^ENV .*\bMINTMARK_HOME=(\S+)/m.exec(text)?.[1] ?? '?'
  expect(dirname(home)).toBe(volume)
})
