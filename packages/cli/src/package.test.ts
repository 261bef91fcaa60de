// Guarantee: what is packed runs in an empty folder, on the oldest Node that can be had; it prints no key and no card.
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../apps/server/test/processes/program.ts'
import { startTestService, type TestService } from '../../../apps/server/test/service.ts'

const run = promisify(execFile)
const HERE = join(import.meta.dirname, '..')
const ROOT = join(HERE, '../..')

let folder: string
let project: string
let packed: string[]
let service: TestService

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'mintmark-cli-')))
  project = join(folder, 'project')
  await mkdir(project)
  await run(process.execPath, [join(HERE, 'build.ts'), join(folder, 'package')])
  const npm = async (words: string[], cwd: string) => (await run('npm', [...words, '--silent'], { cwd })).stdout
  const pack = async (path: string) =>
    JSON.parse(await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], path))[0]
  const own = await pack(join(folder, 'package'))
  packed = own.files.map(({ path }: { path: string }) => path)
  // What it depends on, as a registry would hand it out.
  const needed = await pack(join(HERE, 'node_modules/commander'))
  await writeFile(join(project, 'package.json'), '{ "private": true }')
  const files = [needed, own].map(({ filename }: { filename: string }) => join(folder, filename))
  await npm(['install', '--offline', '--no-audit', '--no-fund', ...files], project)
  service = await startTestService()
})
afterAll(async () => {
  await service?.close()
  await rm(folder, { recursive: true, force: true })
})

/** The Node of the machine before ours on PATH where there is one. Else the one of the tests. */
function oldestNode(): string {
  const parts = (process.env.PATH ?? '').split(delimiter).filter((part) => part !== '' && !part.startsWith(ROOT))
  return parts.map((part) => join(part, 'node')).find((path) => existsSync(path)) ?? process.execPath
}

const printed: string[] = []

function start(words: string[]) {
  const program = join(project, 'node_modules/.bin/mintmark')
  const env = { HOME: join(folder, 'user'), PATH: process.env.PATH }
  const child = spawn(oldestNode(), ['--no-warnings', program, ...words], { cwd: project, env, stdio: 'pipe' })
  const told = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    told.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    told.err += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve)).then((code) => {
    printed.push(words.join(' '), told.out, told.err)
    return { code, ...told }
  })
  return { child, told, ended }
}

const mintmark = (...words: string[]) => start(words).ended

async function json(code: number, ...words: string[]) {
  const { out, ...ended } = await mintmark(...words, '--json')
  expect({ words, ...ended }).toMatchObject({ words, code })
  return JSON.parse(out)
}

const home = () => join(folder, 'user/.config/mintmark')
const helper = (path: string, body: object = {}) => service.merchant.post(`/v1/test_helpers/${path}`, body)
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
const TEA = [
  ...['--currency', 'USD', '--merchant-name', 'Tea House', '--merchant-url', 'https://tea.example'],
  ...['--merchant-country', 'US', '--line', '2x 20.00 Green tea'],
]

test('it is one program without anything of the project beside it', async () => {
  expect(packed.sort()).toEqual(['LICENSE', 'NOTICE', 'README.md', 'mintmark.js', 'package.json'])
  expect(await mintmark('--version')).toMatchObject({ code: 0, out: '0.1.0\n' })
  expect(await mintmark('agent', 'lonk')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no command "agent lonk"'),
  })
})

test('its page says how it is got, while it is on no registry', async () => {
  const page = await readFile(join(HERE, 'README.md'), 'utf8')
  expect(page).toContain('npx node packages/cli/build.ts && npm pack ./packages/cli/dist\n')
})

test('an agent is linked, gets a card into a file, and tells by its exit code how it went', async () => {
  expect(await json(2, 'agent', 'status')).toMatchObject({ error: { code: 'NOT_LINKED' } })
  expect(await json(1, 'agent', 'link', '--nmae', 'Pantry')).toEqual({
    error: { code: 'WRONG_USAGE', message: "Unknown option '--nmae'" },
  })
  // Ctrl-C ends the waiting, and what it waited for goes on.
  const waiting = start(['agent', 'link', '--name', 'Pantry', '--api-url', service.apiUrl])
  await eventually(async () => waiting.told.out.includes('/links/') || undefined)
  waiting.child.kill('SIGINT')
  expect(await waiting.ended).toMatchObject({ code: 2, err: expect.stringContaining('has not answered the link') })
  const { link } = JSON.parse(await readFile(join(home(), 'agent.json'), 'utf8'))
  await helper(`agent_links/${link.id}/approve`)
  const session = await json(0, 'session', 'create', '--amount', '40.00', ...TEA)
  await helper(`sessions/${session.session_id}/complete`)
  const card = join(folder, 'card.json')
  const kept = await json(0, 'session', 'result', session.session_id, '--output-file', card)
  expect(kept).toMatchObject({ status: 'awaiting_result', card_file: card })
  const refused = await mintmark('session', 'result', session.session_id, '--output-file', '/dev/stdout')
  expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('/dev/stdout is there already') })
  for (const path of [card, join(home(), 'agent.key'), join(home(), 'agent.json')])
    expect(await modeOf(path)).toBe('600')
  expect(await modeOf(home())).toBe('700')

  // Nothing that was printed, or is in the words of a command, is a secret.
  const key = (await readFile(join(home(), 'agent.key'), 'utf8')).split('\n')[1] ?? ''
  for (const secret of [key, JSON.parse(await readFile(card, 'utf8')).token])
    expect(printed.join('\n')).not.toContain(secret)
  expect((await readdir(home())).sort()).toEqual(['agent.json', 'agent.key'])
})
