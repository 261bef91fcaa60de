import { SurfaceApp } from './app.ts'
import { createBackend } from './backend.ts'
import { readKept } from './kept.ts'
import { parseLink } from './link.ts'

const root = document.getElementById('app')
if (root) void new SurfaceApp(root, createBackend()).start(parseLink(location), readKept(history.state))

// The same link opened again in this tab differs from the address by its fragment only, so the browser loads nothing.
addEventListener('hashchange', () => location.reload())

// A page kept for the back button must not come back with a card in its fields.
addEventListener('pagehide', () => {
  for (const input of document.querySelectorAll('input')) {
    if (input.type !== 'radio') input.value = ''
  }
})
