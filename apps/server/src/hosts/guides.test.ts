// Guarantee: /llms.txt lists every guide and every page of the reference, nothing that is not there, and each is served
// where it says; no other file of the project is.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addDeveloperCommands } from '@mintmark/cli'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../test/service.ts'

const ROOT = join(import.meta.dirname, '../../../..')

let service: TestService
let list: string
let links: string[]
beforeAll(async () => {
  service = await startTestService()
  list = await (await fetch(`${service.apiUrl}/llms.txt`)).text()
  links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
})
afterAll(() => service?.close())

test('lists every guide and every page of the reference, once', async () => {
  const pagesIn = async (folder: string) => {
    const names = await readdir(join(ROOT, folder))
    return names.filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`)
  }
  const pages = [...(await pagesIn('docs/guides')), ...(await pagesIn('docs/reference'))]
  expect(links.filter((link) => link.startsWith('docs/')).sort()).toEqual(pages.sort())
  expect(list).toMatch(/^# Mintmark\n\n> /)
})

test('serves each page as it is, and says what it is', async () => {
  for (const link of links) {
    const response = await fetch(new URL(link, `${service.apiUrl}/llms.txt`))
    expect([link, response.status, response.headers.get('content-type')]).toEqual([
      link,
      200,
      'text/markdown; charset=utf-8',
    ])
    expect(response.headers.get('x-response-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await response.text()).toBe(await readFile(join(ROOT, link), 'utf8'))
  }
  const own = await fetch(`${service.apiUrl}/llms.txt`)
  expect(own.headers.get('content-type')).toBe('text/plain; charset=utf-8')
})

test('has each beside the calls at /docs, where its links lead to the others, and /openapi.json keeps to calls', async () => {
  const read = async (path: string) => (await (await fetch(service.apiUrl + path)).json()) as Tagged
  const { tags, 'x-tagGroups': groups } = await read('/docs/document.json')
  const pages = tags.filter((tag) => tag['x-displayName'] !== undefined)
  expect(pages).toHaveLength(links.length)
  // Its heading is its name.
  expect(pages.filter(({ description }) => /^(?:<!--.*-->\s*)?# /.test(description))).toEqual([])
  expect(groups?.flatMap((group) => group.tags)).toEqual(tags.map(({ name }) => name))
  const targets = pages.flatMap(({ description }) => [...description.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to))
  expect(targets.length).toBeGreaterThan(50)
  const known = new Set(pages.map(({ name }) => `#tag/${name}`))
  expect(targets.filter((to = '') => !known.has(to) && !to.startsWith('https://'))).toEqual([])
  const published = await read('/openapi.json')
  expect(published['x-tagGroups']).toBeUndefined()
  expect(published.tags.filter(({ name }) => pages.some((page) => page.name === name))).toEqual([])
})

interface Tagged {
  tags: { name: string; description: string; 'x-displayName'?: string }[]
  'x-tagGroups'?: { tags: string[] }[]
}

test.each([
  '/SECURITY.md',
  '/docs/faults.md',
  '/docs/guides/../../package.json',
  '/docs/guides/%2e%2e%2f%2e%2e%2fpackage.json',
  '/docs/guides/alerts.yml',
])('%s is not served', async (path) => {
  expect((await fetch(service.apiUrl + path)).status).toBe(404)
})

test('not by the wallet API, and in production where the reference is', async () => {
  expect((await fetch(`${service.walletUrl}/llms.txt`)).status).toBe(404)
  const closed = await startTestService({ database: service.database, env: { API_REFERENCE: 'off' } })
  expect((await fetch(`${closed.apiUrl}/llms.txt`)).status).toBe(404)
  await closed.close()
})

test('the commands that it names are there', () => {
  const program = new Command('mintmark')
  addDeveloperCommands(program)
  const named = [...list.matchAll(/`mintmark ([a-z ]+)`/g)].map(([, words = '']) => words.split(' '))
  expect(named.length).toBeGreaterThan(3)
  for (const words of named) {
    let command: Command | undefined = program
    for (const word of words) command = command?.commands.find((child) => child.name() === word)
    expect([words, command?.name()]).toEqual([words, words.at(-1)])
  }
})
