import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleScript } from './bundle.ts'

// node packages/browser/build.ts [folder]   makes the package that is published, in dist: modules, their types, and
// `mintmark.js` for a script tag. Inside the project the source is used as it is, but for that script.

const HERE = import.meta.dirname
const ROOT = join(HERE, '../..')
const DIST = resolve(process.argv[2] ?? join(HERE, 'dist'))

rmSync(DIST, { recursive: true, force: true })
const typescript = dirname(fileURLToPath(import.meta.resolve('typescript/package.json')))
const words = [join(typescript, 'bin/tsc'), '-p', join(HERE, 'tsconfig.build.json'), '--outDir', DIST]
execFileSync(process.execPath, words, { stdio: 'inherit' })

writeFileSync(join(DIST, 'mintmark.js'), await bundleScript())

const {
  private: _private,
  scripts: _scripts,
  devDependencies: _tools,
  ...manifest
} = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'))
const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` })
const published = {
  ...manifest,
  main: './index.js',
  types: './index.d.ts',
  unpkg: './mintmark.js',
  exports: {
    '.': entry('index'),
    './react': entry('react'),
    './mintmark.js': './mintmark.js',
    './package.json': './package.json',
  },
}
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
copyFileSync(join(HERE, 'README.md'), join(DIST, 'README.md'))
for (const name of ['LICENSE', 'NOTICE']) copyFileSync(join(ROOT, name), join(DIST, name))
