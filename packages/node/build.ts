import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

// node packages/node/build.ts [folder]   makes the package that is published, in dist: plain JavaScript and its types. Inside the
// project the source is used as it is, so nothing can be tested against an old build.

const HERE = import.meta.dirname
const ROOT = join(HERE, '../..')
const DIST = resolve(process.argv[2] ?? join(HERE, 'dist'))

// The types of what the routes are now, not of what they were at the last install.
execFileSync(process.execPath, [join(ROOT, 'scripts/generate-types.ts')], { stdio: 'inherit' })
rmSync(DIST, { recursive: true, force: true })
const typescript = dirname(fileURLToPath(import.meta.resolve('typescript/package.json')))
const words = [join(typescript, 'bin/tsc'), '-p', join(HERE, 'tsconfig.build.json'), '--outDir', DIST]
execFileSync(process.execPath, words, { stdio: 'inherit' })
const { private: _, ...manifest } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'))
const published = {
  ...manifest,
  main: './index.js',
  types: './index.d.ts',
  exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
}
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
copyFileSync(join(HERE, 'README.md'), join(DIST, 'README.md'))
for (const name of ['LICENSE', 'NOTICE']) copyFileSync(join(ROOT, name), join(DIST, name))
