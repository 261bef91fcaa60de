import { hostText } from '@mintmark/contract/sentence'
import { button, newTabLink } from '../button.ts'
import { words as asNodes, h, heading, paragraph } from '../dom.ts'
import { clockIcon, noticeIcon } from '../icons.ts'
import { foreign } from '../phrase.ts'
import type { BlockedReason, Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'
import { webAddress } from '../web-address.ts'

/** What the service tells of a session that is over: whose it was, and where to go on. */
type WayBack = Readonly<{ merchant_name?: string; return_url?: string }>

/** The page cannot go on, and no try can change that. */
export function blockedScreen(
  reason: BlockedReason,
  { frame: { embedded }, tabAddress }: Pick<ScreenHost, 'frame' | 'tabAddress'>,
  { merchant_name: merchant, return_url }: WayBack = {},
): Screen {
  const words = text.blocked[reason]
  const icon = reason === 'expired' ? clockIcon() : noticeIcon()
  const element = h('div', { class: 'centered' }, icon, heading(words.title))
  if (merchant !== undefined) element.append(paragraph([foreign(merchant)], 'hint'))
  element.append(paragraph(words.text))
  if (reason === 'unsupported' && embedded)
    element.append(newTabLink(text.buttons.openTab, tabAddress, { kind: 'secondary' }))
  if (reason === 'expired' || reason === 'revoked') element.append(wayOn(embedded, webAddress(return_url)))
  return { element, final: reason !== 'unsupported' }
}

/** Not by itself: a cardholder who opens an old link may want to read first. */
function wayOn(embedded: boolean, address: string | null): HTMLElement {
  if (embedded) return paragraph(text.outcome.embedded, 'hint')
  if (address === null) return paragraph(text.outcome.close, 'hint')
  return button(asNodes(text.buttons.returnTo(foreign(hostText(address)))), () => location.assign(address))
}
