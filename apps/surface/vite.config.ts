import { fileURLToPath } from 'node:url'
import { minify } from '@swc/core'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { inEachLanguage } from './in-each-language.ts'
import { inlineEverything } from './inline.ts'
import { wordsIn } from './permissions/words.ts'
import { DOCUMENT_TEXT } from './src/text/document.ts'
import { textsIn } from './src/text/languages.ts'

/** Again, after the build's own: what a name stands for is put in its place across all of the one script. */
const SMALLER = {
  module: true,
  // Names for what is said once compress to less than the same spelt out.
  compress: { ecma: 2022, passes: 3, toplevel: true, drop_console: true, collapse_vars: false },
  mangle: { toplevel: true },
} as const

function makeSmaller(): Plugin {
  return {
    name: 'make-smaller',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = (await minify(file.code, SMALLER)).code
      }
    },
  }
}

/** The page reads its words from the document it came with. Where there is none, as in tests, they are English. */
const FIRST_WORDS = fileURLToPath(new URL('./src/text/first-of-document.ts', import.meta.url))

function page(folder: string, outDir: string, words: Parameters<typeof inEachLanguage>[0]): UserConfig {
  return {
    root: fileURLToPath(new URL(folder, import.meta.url)),
    resolve: {
      alias: [{ find: /^\.\/first\.ts$/, replacement: FIRST_WORDS }],
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: fileURLToPath(new URL(outDir, import.meta.url)),
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      assetsInlineLimit: 100_000,
      reportCompressedSize: false,
    },
    plugins: [makeSmaller(), inlineEverything(), inEachLanguage(words)],
  }
}

/**
 * Two pages: that of a session, and with `--mode permissions` that of what was allowed, which lies in a folder of the
 * first.
 */
export default defineConfig(({ mode }) => {
  if (mode !== 'permissions') {
    return page('.', './dist/', { document: (language) => ({ ...DOCUMENT_TEXT[language] }), texts: textsIn })
  }
  return page('./permissions/', './dist/permissions/', {
    document(language) {
      const { title: TITLE, loading: LOADING, noScript: NO_SCRIPT } = wordsIn(language).permissions
      return { TITLE, LOADING, NO_SCRIPT }
    },
    texts: wordsIn,
  })
})
