import type { SurfaceOperator } from '@mintmark/contract/wire/surface'
import { h, words } from './dom.ts'
import { foreign } from './phrase.ts'
import { text } from './text/text.ts'
import { linkOut } from './web-address.ts'

/** The operator, who keeps the cards, and where more is said of that. */
export function operatorLine({ name, logo_url, privacy_url, terms_url, support_url }: SurfaceOperator): HTMLElement {
  const { privacy, terms, help } = text.footer
  const links = [
    [privacy, privacy_url],
    [terms, terms_url],
    [help, support_url],
  ] as const
  return h(
    'ul',
    { class: 'operator' },
    h('li', {}, logo_url !== undefined && logo(logo_url), ...words([foreign(name)])),
    ...links.map(([label, address]) => linkTo(label, address)),
  )
}

/** The name beside it says the same, also where the image does not come. */
function logo(src: string): HTMLElement {
  const image = h('img', { class: 'operator-logo', src, alt: '' })
  image.addEventListener('error', () => image.remove())
  return image
}

function linkTo(label: string, address: string | undefined): HTMLElement | null {
  const link = linkOut(address, label)
  return link === null ? null : h('li', {}, link)
}
