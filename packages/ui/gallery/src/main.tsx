import { render } from 'preact'
import { ARABIC } from './arabic.ts'
import { PARTS } from './parts.ts'
import { watchParts } from './seen.ts'
import { Cards } from './specimens/cards.tsx'
import { Controls } from './specimens/controls.tsx'
import { Lists } from './specimens/lists.tsx'
import { Said } from './specimens/said.tsx'
import { Sheets } from './specimens/sheets.tsx'
import { Tokens } from './specimens/tokens.tsx'
import { ENGLISH, type GalleryWords } from './words.ts'

// One drawing of all parts: `?scheme=light|dark&dir=ltr|rtl`.
const asked = new URLSearchParams(location.search)
const isFromRight = asked.get('dir') === 'rtl'
const words = isFromRight ? ARABIC : ENGLISH
const root = document.documentElement
root.lang = words.language
root.dir = isFromRight ? 'rtl' : 'ltr'
const scheme = asked.get('scheme')
if (scheme) root.dataset.scheme = scheme
document.title = words.title

const seen = watchParts()
render(<Gallery words={words} />, document.body)
// For who checks that nothing is missing.
const drawn = [...PARTS].filter(([, part]) => seen.has(part)).map(([name]) => name)
root.dataset.drawn = drawn.join(' ')

function Gallery({ words }: { words: GalleryWords }) {
  return (
    <main class="gallery">
      <h1>{words.title}</h1>
      <Sheets words={words} />
      <Controls words={words} />
      <Said words={words} />
      <Cards words={words} />
      <Lists words={words} />
      <Tokens />
    </main>
  )
}
