// Guarantee: the program loads what its words ask for, and no more. Loading the whole service takes most of a second of
// processor time, which help would make people wait for, and each of a hundred verbs of a script.
import { expect, test } from 'vitest'
import { preparedHome, temporaryHome } from './program.ts'
import { freePorts, runProgram, startProgram } from './spawn.ts'

/** Writes each package and file that is loaded to standard error, with a mark. */
const TELL_LOADED = `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => (process.stderr.write('loaded ' + url + '\\n'), next(url, context)) })`

const tellingLoaded = () => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(TELL_LOADED)}`,
  LOG_LEVEL: 'silent',
})
const loadedIn = (output: string) => output.split('\n').flatMap((line) => /^loaded (.+)$/.exec(line)?.[1] ?? [])

async function loadedBy(words: string[], home?: string): Promise<{ code: number | null; loaded: string[] }> {
  const { code, output } = await runProgram(words, { home: home ?? (await temporaryHome()), env: tellingLoaded() })
  return { code, loaded: loadedIn(output) }
}

const packageIn = (name: string) => expect.stringContaining(`/node_modules/${name}/`)

test.each([['--help'], ['merchant --help'], ['merchant create --nmae Shop']])('%s loads no service', async (words) => {
  const { loaded } = await loadedBy(words.split(' '))
  expect(loaded).toContainEqual(packageIn('commander'))
  for (const name of ['typebox', 'fastify', 'pg', '@simplewebauthn/server']) {
    expect(loaded).not.toContainEqual(packageIn(name))
  }
  expect(loaded).not.toContainEqual(expect.stringContaining('/src/compose/'))
})

test('a verb loads the services that verbs use, and nothing that answers a caller', { timeout: 60_000 }, async () => {
  const home = await preparedHome()
  const { code, loaded } = await loadedBy(['merchant', 'list'], home)
  expect(code).toBe(0)
  expect(loaded).toContainEqual(expect.stringContaining('/src/merchants/'))
  for (const name of ['fastify', 'typebox', '@simplewebauthn/server']) {
    expect(loaded).not.toContainEqual(packageIn(name))
  }
  expect(loaded).not.toContainEqual(expect.stringContaining('/src/sessions/service.ts'))
})

test('a start loads no library that waits for its first caller', { timeout: 120_000 }, async () => {
  const program = startProgram(['all'], { home: await preparedHome(), port: await freePorts(), env: tellingLoaded() })
  await program.ready()
  const loaded = loadedIn(program.output())
  expect((await fetch(`${program.apiUrl}/.well-known/oauth-authorization-server`)).status).toBe(200)
  expect(loadedIn(program.output())).toContainEqual(packageIn('oidc-provider'))
  expect(loaded).toContainEqual(packageIn('fastify'))
  for (const name of ['oidc-provider', 'koa', '@modelcontextprotocol/server', 'zod', 'nodemailer']) {
    expect(loaded).not.toContainEqual(packageIn(name))
  }
  await program.stop()
})
