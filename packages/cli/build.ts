import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

// node packages/cli/build.ts [folder]   makes the package that is installed, in dist: one program, with what it uses
// of ours inside. Inside the project the source is used as it is, so nothing can be tested against an old build.

const HERE = import.meta.dirname
const ROOT = join(HERE, '../..')
const DIST = resolve(process.argv[2] ?? join(HERE, 'dist'))

await rm(DIST, { recursive: true, force: true })
const { dependencies, exports: _, ...manifest } = JSON.parse(await readFile(join(HERE, 'package.json'), 'utf8'))
const { private: __, devDependencies: ___, ...published } = manifest
const { commander } = dependencies
const bundle = await rolldown({
  input: { mintmark: join(HERE, 'src/main.ts') },
  // The oldest Node that package.json names.
  platform: 'node',
  transform: { target: 'node20.3' },
  external: /^(?:node:|commander$)/,
})
await bundle.write({ dir: DIST, format: 'esm', entryFileNames: '[name].js', codeSplitting: false })
await bundle.close()
const own = { ...published, bin: { mintmark: './mintmark.js' }, dependencies: { commander } }
await writeFile(join(DIST, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
await copyFile(join(HERE, 'README.md'), join(DIST, 'README.md'))
for (const name of ['LICENSE', 'NOTICE']) await copyFile(join(ROOT, name), join(DIST, name))
