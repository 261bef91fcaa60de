import { button, newTabLink } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { nodesOf } from '../draw.tsx'
import { payeeText } from '../flows/lines.ts'
import { clockIcon, noticeIcon } from '../icons.tsx'
import { hostText } from '../money-text.ts'
import { filled, foreign } from '../phrase.ts'
import type { BlockedReason, Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'
import { webAddress } from '../web-address.ts'

/** What the service tells of a session that is over: whose it was, and where to go on. */
type WayBack = Readonly<{ merchant_name?: string; merchant_url?: string; return_url?: string }>

/** The page cannot go on, and no try can change that. */
export function blockedScreen(
  reason: BlockedReason,
  { frame: { embedded }, tabAddress }: Pick<ScreenHost, 'frame' | 'tabAddress'>,
  { merchant_name: name, merchant_url: url, return_url }: WayBack = {},
): Screen {
  const words = text.blocked[reason]
  const icon = reason === 'expired' ? clockIcon() : noticeIcon()
  const element = h('div', { class: 'centered' }, icon, heading(words.title))
  if (name !== undefined)
    element.append(paragraph(url === undefined ? [foreign(name)] : payeeText({ name, url }), 'hint'))
  element.append(paragraph(words.text))
  if (reason === 'unsupported' && embedded)
    element.append(newTabLink(text.buttons.openTab, tabAddress, { kind: 'secondary' }))
  if (reason === 'expired' || reason === 'revoked') element.append(wayOn(embedded, webAddress(return_url)))
  return { element, final: reason !== 'unsupported' }
}

/** Not by itself: who opens an old link may want to read first. */
function wayOn(embedded: boolean, address: string | null): HTMLElement {
  if (embedded) return paragraph(text.outcome.embedded, 'hint')
  if (address === null) return paragraph(text.outcome.close, 'hint')
  return button(nodesOf(filled(text.buttons.returnTo, { place: foreign(hostText(address)) })), () =>
    location.assign(address),
  )
}
