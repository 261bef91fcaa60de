// Guarantee: what is published works in an empty project: as modules with their types, for React, and as one small script; it brings no
// dependency, and nothing of the project's inside.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../bundle.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../../..')
const HERE = join(import.meta.dirname, '..')
const MAX_BYTES = 6_000

let folder: string
let project: string
let installed: string
let tarball: { filename: string; files: { path: string }[] }

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'mintmark-package-')))
  project = join(folder, 'project')
  installed = join(project, 'node_modules/@mintmark/browser')
  await mkdir(project)
  // Twice, as it is made again in a checkout: the second time it is all there, too.
  for (let time = 0; time < 2; time += 1) await run(process.execPath, [join(HERE, 'build.ts'), join(folder, 'package')])
  const npm = async (words: string[], cwd: string) => (await run('npm', [...words, '--silent'], { cwd })).stdout
  tarball = JSON.parse(await npm(['pack', '--json', '--pack-destination', folder], join(folder, 'package')))[0]
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  await npm(['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball.filename)], project)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the script and the modules are under 6 KB as they are sent, and the script of the checkout is this one', async () => {
  const script = await readFile(join(installed, 'mintmark.js'), 'utf8')
  const modules = await bundle(join(installed, 'index.js'), 'production', 'es')
  expect(gzipSync(script, { level: 9 }).length).toBeLessThan(MAX_BYTES)
  expect(gzipSync(modules, { level: 9 }).length).toBeLessThan(MAX_BYTES)
  // Else `npm run build` is to be run: the shop of the examples sends this one.
  expect(await readFile(join(HERE, 'dist/mintmark.js'), 'utf8')).toBe(script)
  expect(script).not.toMatch(/\beval\b|new Function|innerHTML|localStorage|document\.cookie|sourceMappingURL/)
})

test('publint and attw find nothing', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js')
  // Browsers and their bundlers read modules only; the script is none.
  const words = [
    attw,
    '--format',
    'json',
    '--profile',
    'esm-only',
    '--exclude-entrypoints',
    './mintmark.js',
    '--',
    join(folder, tarball.filename),
  ]
  // It ends with an error if it finds something. Its table looks different in every terminal; its JSON does not.
  const { stdout } = await run(process.execPath, words)
  expect(JSON.parse(stdout).analysis.entrypoints['.'].resolutions.bundler.resolution.fileName).toMatch(/\.d\.ts$/)
})

test('TypeScript knows it, strictly, with the declarations checked', async () => {
  const source = `import { Mintmark, type MintmarkError, type Success } from '@mintmark/browser'
const mintmark = new Mintmark({ publishableKey: 'pk_test_x' })
mintmark.collectPAN({
  sessionToken: 'x', iframeUrl: 'x', container: document.body, presentation: 'sheet', styles: { scheme: 'auto' },
  onReady: ({ sessionId }) => sessionId.length,
  onChange: ({ step, card }) => step === 'approval' && card?.cardLast4,
  onSuccess: (success: Success) => success.enrollmentId,
  onError: (error: MintmarkError) => error.retryable,
  onDismiss: ({ reason }) => reason === 'cancelled',
})
// @ts-expect-error There is no such style.
mintmark.enrollCard({ sessionToken: 'x', iframeUrl: 'x', styles: { font: 'x' } })
// @ts-expect-error Both are needed.
mintmark.setUpMandate({ iframeUrl: 'x' })
mintmark.cancel()
mintmark.destroy()
`
  const react = `import { MintmarkPage } from '@mintmark/browser/react'
export const page = MintmarkPage({ publishableKey: 'pk_test_x', sessionToken: 'x', iframeUrl: 'x', method: 'enrollCard' })
// @ts-expect-error The component is the container.
MintmarkPage({ publishableKey: 'pk_test_x', sessionToken: 'x', iframeUrl: 'x', container: '#x' })
`
  await writeFile(join(project, 'use.ts'), source)
  await writeFile(join(project, 'react.ts'), react)
  await mkdir(join(project, 'node_modules/@types'))
  await symlink(join(ROOT, 'node_modules/@types/react'), join(project, 'node_modules/@types/react'))
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    types: [],
    module: 'nodenext',
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts', 'react.ts'] }))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})

test('a server may load it, as programs do that draw pages there; to show something it needs a browser', async () => {
  const program = `import { Mintmark } from '@mintmark/browser'
const mintmark = new Mintmark({ publishableKey: 'pk_test_x' })
mintmark.destroy()
try { mintmark.collectPAN({}) } catch (error) { console.log(error.name, error.code) }`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: project })
  expect(stdout).toBe('MintmarkError SDK_INIT_ERROR\n')
})

test('the package has code, types, licence and readme, and no dependency', async () => {
  const packed = tarball.files.map(({ path }) => path)
  expect(packed.filter((path) => !/\.(?:js|d\.ts)$/.test(path)).sort()).toEqual([
    'LICENSE',
    'NOTICE',
    'README.md',
    'package.json',
  ])
  expect(packed.filter((path) => /test|build|bundle|script/.test(path))).toEqual([])
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  for (const field of ['dependencies', 'devDependencies', 'private', 'scripts'])
    expect(manifest).not.toHaveProperty(field)
  expect(manifest).toMatchObject({
    publishConfig: { access: 'public' },
    peerDependenciesMeta: { react: { optional: true } },
  })
  for (const path of packed.filter((name) => name.endsWith('.js'))) {
    const text = await readFile(join(installed, path), 'utf8')
    const imports = [...text.matchAll(/from '([^']+)'/g)].map(([, from = '']) => from)
    expect(imports.filter((from) => !/^\.\//.test(from))).toEqual(path === 'react.js' ? ['react'] : [])
  }
})
