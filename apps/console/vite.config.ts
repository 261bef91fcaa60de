import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { inlineEverything } from '../surface/inline.ts'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 100_000,
    reportCompressedSize: false,
  },
  plugins: [inlineEverything()],
})
