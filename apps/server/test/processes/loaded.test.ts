// Guarantee: the program loads what its words ask for, and no more. Loading the whole service takes most of a second of processor
// time, which help would make people wait for, and each of a hundred verbs of a script.
import { expect, test } from 'vitest'
import { preparedHome, runProgram, temporaryHome } from './program.ts'

/** Writes each package and file that is loaded to standard error, with a mark. */
const TELL_LOADED = `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => (process.stderr.write('loaded ' + url + '\\n'), next(url, context)) })`

async function loadedBy(words: string[], home?: string): Promise<{ code: number | null; loaded: string[] }> {
  const telling = `--import data:text/javascript,${encodeURIComponent(TELL_LOADED)}`
  const { code, output } = await runProgram(words, {
    home: home ?? (await temporaryHome()),
    env: { NODE_OPTIONS: telling, LOG_LEVEL: 'silent' },
  })
  return { code, loaded: output.split('\n').flatMap((line) => /^loaded (.+)$/.exec(line)?.[1] ?? []) }
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

test('a verb loads the services that verbs use, and nothing that answers somebody', async () => {
  const home = await preparedHome()
  const { code, loaded } = await loadedBy(['merchant', 'list'], home)
  expect(code).toBe(0)
  expect(loaded).toContainEqual(expect.stringContaining('/src/merchants/'))
  for (const name of ['fastify', 'typebox', '@simplewebauthn/server']) {
    expect(loaded).not.toContainEqual(packageIn(name))
  }
  expect(loaded).not.toContainEqual(expect.stringContaining('/src/sessions/service.ts'))
})
