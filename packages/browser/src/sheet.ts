import type { Appearance } from './options.ts'
import { schemeOf } from './places.ts'

/** The colour of the focus, where no accent is said. */
const RING = '#2f8f76'

const cssOf = ({ scheme, accent = RING, accent_dark = RING, radius = 20 }: Appearance) => `
:host{all:initial;color-scheme:${schemeOf(scheme)}}
dialog{box-sizing:border-box;flex-direction:column;width:100%;max-width:100%;max-height:calc(100dvh - 1.5rem);margin:auto 0 0;
padding:0 0 env(safe-area-inset-bottom);border:0;overflow:hidden;border-radius:${radius}px ${radius}px 0 0;
background:light-dark(#fff,#141c19);color:light-dark(#121816,#eef3f1);box-shadow:0 0 40px rgb(0 0 0/.3);overscroll-behavior:contain}
dialog[open]{display:flex}
dialog::backdrop{background:rgb(9 14 12/.55)}
div{display:flex;flex:none;justify-content:flex-end;padding:4px 4px 0}
button{all:unset;display:grid;place-items:center;width:44px;height:44px;border-radius:50%;cursor:pointer}
button:hover{background:rgb(128 140 135/.18)}
button:focus-visible{outline:3px solid light-dark(${accent},${accent_dark});outline-offset:-3px}
button::before,button::after{content:"";grid-area:1/1;width:16px;border-top:2px solid;rotate:45deg}
button::after{rotate:-45deg}
iframe{display:block;width:100%;height:35rem;min-height:0;border:0}
@media(min-width:600px){dialog{width:440px;max-height:calc(100dvh - 3rem);margin:auto;border-radius:${radius}px}}
@media(prefers-reduced-motion:no-preference){dialog[open],dialog::backdrop{animation:.24s cubic-bezier(.2,.8,.3,1) up}
dialog::backdrop{animation-name:dim}iframe{transition:height .2s}
@keyframes up{from{transform:translateY(100%)}}@keyframes dim{from{opacity:0}}
@media(min-width:600px){@keyframes up{from{transform:translateY(24px);opacity:0}}}}
`

/**
 * A modal dialog over the page: the browser keeps the focus in it, gives it back afterwards, and takes the back button
 * of a phone as the wish to close it. In a shadow root, so that the styles of the page and those of the sheet do not
 * meet. Returns what takes it away.
 */
export function sheetPlace(
  frame: HTMLIFrameElement,
  { title, appearance, wantsOut, closed }: { title: string; appearance: Appearance; wantsOut(): void; closed(): void },
): () => void {
  const host = document.createElement('div')
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(cssOf(appearance))
  root.adoptedStyleSheets = [sheet]
  const dialog = document.createElement('dialog')
  dialog.ariaLabel = title
  const top = document.createElement('div')
  top.append(closeButton(wantsOut))
  dialog.append(top, frame)
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
  return () => {
    dialog.close()
    unlock()
    host.remove()
  }
}

function closeButton(wantsOut: () => void): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.ariaLabel = 'Close'
  button.addEventListener('click', wantsOut)
  return button
}

/** The page below does not move, and does not jump where its scroll bar was. Returns what ends that. */
function lockScrolling(): () => void {
  const lock = new CSSStyleSheet()
  const gap = innerWidth - document.documentElement.clientWidth
  lock.replaceSync(`html{overflow:hidden!important;padding-right:${gap}px!important}`)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, lock]
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== lock)
  }
}
