import { hostText } from '@mintmark/contract/sentence'
import type { SurfaceView } from '@mintmark/contract/wire/surface'
import { h, words } from './dom.ts'
import type { Payee } from './flows/flow.ts'
import { foreign } from './phrase.ts'

/** The merchant, as it writes itself, at the top of the sheet. */
export function partyHead({ name, url }: Payee, { merchant }: SurfaceView): HTMLElement[] {
  return [
    mark(name, merchant.brand.logo_url),
    h(
      'div',
      { class: 'party-words' },
      h('p', { class: 'party-name' }, ...words([foreign(name)])),
      url !== undefined && h('p', { class: 'party-host' }, ...words([foreign(hostText(url))])),
    ),
  ]
}

/** Its logo, or its first letter: also where the image does not come. The name beside it says the same. */
function mark(name: string, logo: string | undefined): HTMLElement {
  const letter = h('span', { class: 'mark', 'aria-hidden': 'true' }, initial(name))
  if (logo === undefined) return letter
  const image = h('img', { class: 'mark mark-logo', src: logo, alt: '' })
  image.addEventListener('error', () => image.replaceWith(letter))
  return image
}

function initial(name: string): string {
  return name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? '·'
}
