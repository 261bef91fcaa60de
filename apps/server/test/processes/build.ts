import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

// node build.ts <folder>   writes the service as a few files, `main.js` first. Node resolves, reads and links some
// thousand files in each start of the sources, which takes a processor longer than all else that a start does.

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const [folder = ''] = process.argv.slice(2)
const WHERE = /import\.meta\.url|\b__dirname\b|\b__filename\b/

const bundle = await rolldown({
  input: MAIN,
  platform: 'node',
  logLevel: 'silent',
  plugins: [
    {
      name: 'at-home',
      // Each file goes on finding what lies beside it: migrations, pages, programs.
      transform: {
        filter: { code: WHERE },
        handler: (code, id) =>
          code
            .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
            .replaceAll(/\b__dirname\b/g, JSON.stringify(dirname(id)))
            .replaceAll(/\b__filename\b/g, JSON.stringify(id)),
      },
    },
  ],
})
// Names of classes and functions stand in what the program says.
await bundle.write({ dir: folder, format: 'esm', keepNames: true })
