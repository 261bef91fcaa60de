// Guarantee: nothing reads the types of the SDK when it runs. They are not committed, and where install scripts are forbidden they are not
// there: the service, which loads the SDK with the commands of developers, starts all the same.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../../..')
/** To Node these files are not there. */
const MISSING = `import { registerHooks } from 'node:module'
const resolve = (name, context, next) => {
  if (/[/](?:api|event)-types[.]ts$/.test(name)) throw new Error('There is no ' + name)
  return next(name, context)
}
registerHooks({ resolve })`
const HOOK = `data:text/javascript,${encodeURIComponent(MISSING)}`

test.each([
  ['the SDK', ['packages/node/src/index.ts']],
  ['the commands of developers', ['packages/cli/src/main.ts', 'agent', '--help']],
  ['the service', ['apps/server/src/main.ts', 'listen', '--help']],
])('%s is loaded without the types', async (_name, words) => {
  const { stderr } = await run(process.execPath, ['--no-warnings', '--import', HOOK, ...words], { cwd: ROOT })
  expect(stderr).toBe('')
})

test('what reads them is found', async () => {
  const words = ['--no-warnings', '--import', HOOK, 'packages/node/src/event-types.ts']
  await expect(run(process.execPath, words, { cwd: ROOT })).rejects.toThrow('There is no ')
})
