import type { Plugin } from 'vite'

/**
 * Puts the one script and the one style into the page itself. The server answers with their SHA-256 in the
 * Content-Security-Policy, so the page loads nothing and nothing can be added to it on the way.
 */
export function inlineEverything(): Plugin {
  return {
    name: 'inline-everything',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') this.error('the build produced no index.html')
      let html = String(page.source)
      for (const [name, file] of Object.entries(bundle)) {
        if (name === 'index.html') continue
        const tag =
          file.type === 'chunk'
            ? `<script type="module">${file.code.trim().replaceAll('</script', '<\\/script')}</script>`
            : `<style>${String(file.source).trim()}</style>`
        const reference = new RegExp(`<(script|link)[^>]*"/${name.replaceAll('.', '\\.')}"[^>]*>(</script>)?`)
        if (!reference.test(html)) this.error(`${name} is not referenced by the page, so it cannot be inlined`)
        // A function, because `$&` in minified code would be read as a pattern.
        html = html.replace(reference, () => tag)
        delete bundle[name]
      }
      page.source = html
    },
  }
}
