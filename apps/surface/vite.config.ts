import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { inlineEverything } from './inline.ts'
import { DOCUMENT_TEXT } from './src/text/document.ts'

/** The words that are in the page before its script runs come from where all others are. */
function writeWords(): Plugin {
  const { title, loading, noScript } = DOCUMENT_TEXT
  const words: Record<string, string> = { TITLE: title, LOADING: loading, NO_SCRIPT: noScript }
  return {
    name: 'write-words',
    transformIndexHtml: (html) => html.replaceAll(/%([A-Z_]+)%/g, (whole, name: string) => words[name] ?? whole),
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  build: {
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 100_000,
    reportCompressedSize: false,
  },
  plugins: [writeWords(), inlineEverything()],
})
