import { GROUNDS } from './contrast.ts'
import { dress, type Place, type Styles } from './places.ts'

const CSS = `
:host{all:initial}
dialog{box-sizing:border-box;flex-direction:column;width:100%;max-width:100%;max-height:calc(100dvh - 1.5rem);margin:auto 0 0;
padding:0 0 env(safe-area-inset-bottom);border:0;overflow:hidden;border-radius:var(--radius) var(--radius) 0 0;
background:light-dark(${GROUNDS.light},${GROUNDS.dark});box-shadow:0 0 40px #0005;overscroll-behavior:contain}
dialog[open]{display:flex}
dialog::backdrop{background:#090e0c8c}
button{all:unset;flex:none;align-self:end;width:44px;height:44px;margin:4px 4px 0;border-radius:50%;font:28px/44px system-ui;text-align:center;cursor:pointer}
[hidden]{display:none}
button:hover{background:#8883}
button:focus-visible{outline:3px solid var(--accent);outline-offset:-3px}
iframe{display:block;flex:0 1 auto;width:100%;height:35rem;min-height:0;border:0}
@media(min-width:600px){dialog{width:440px;max-height:calc(100dvh - 3rem);margin:auto;border-radius:var(--radius)}}
@media(prefers-reduced-motion:no-preference){dialog[open],dialog::backdrop{animation:.24s cubic-bezier(.2,.8,.3,1) up}
dialog::backdrop{animation-name:dim}iframe{transition:height .2s}
@keyframes up{from{transform:translateY(100%)}}@keyframes dim{from{opacity:0}}
@media(min-width:600px){@keyframes up{from{transform:translateY(24px);opacity:0}}}}
`

/**
 * A modal dialog over the page: the browser keeps the focus in it, gives it back afterwards, and takes the back button of a phone as
 * the wish to close it. In a shadow root, so that the styles of the page and those of the sheet do not meet.
 */
export function sheetPlace(
  frame: HTMLIFrameElement,
  { title, styles, wantsOut, closed }: { title: string; styles: Styles; wantsOut(): void; closed(): void },
): Place {
  const host = document.createElement('div')
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(CSS)
  root.adoptedStyleSheets = [sheet]
  const dialog = document.createElement('dialog')
  dialog.ariaLabel = title
  const accent = `light-dark(${styles.accent ?? '#0b6b57'},${styles.accentDark ?? '#58d3b2'})`
  dress(dialog, styles, { '--radius': `${styles.radius ?? 20}px`, '--accent': accent })
  dress(frame, styles, {})
  const close = closeButton(wantsOut)
  dialog.append(close, frame)
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault()
    wantsOut()
  })
  // Beside the sheet: what is on it has other targets.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) wantsOut()
  })
  // A browser that is asked twice does not ask again.
  dialog.addEventListener('close', closed)
  root.append(dialog)
  document.body.append(host)
  const unlock = lockScrolling()
  dialog.showModal()
  return {
    resize: (height) => frame.style.setProperty('height', `${height}px`),
    frameHasWayOut(has) {
      close.hidden = has
    },
    remove() {
      dialog.close()
      unlock()
      host.remove()
    },
  }
}

function closeButton(wantsOut: () => void): HTMLElement {
  const button = document.createElement('button')
  button.ariaLabel = 'Close'
  button.textContent = '×'
  button.addEventListener('click', wantsOut)
  return button
}

/** The page below does not move, and does not jump where its scroll bar was. Returns what puts all of it back. */
function lockScrolling(): () => void {
  const { documentElement: root } = document
  const rules = { overflow: 'hidden', 'padding-right': `${innerWidth - root.clientWidth}px` }
  const before = Object.keys(rules).map((name) => {
    return [name, root.style.getPropertyValue(name), root.style.getPropertyPriority(name)] as const
  })
  for (const [name, value] of Object.entries(rules)) root.style.setProperty(name, value)
  return () => {
    for (const [name, value, priority] of before) root.style.setProperty(name, value, priority)
  }
}
