import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Two documents: the parts, drawn once for a scheme and a direction, and the four drawings beside each other. */
export default defineConfig({
  root: here('.'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: { input: [here('index.html'), here('parts.html')] },
  },
})
