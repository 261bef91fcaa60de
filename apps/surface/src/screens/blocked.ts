import { newTabLink } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { clockIcon, noticeIcon } from '../icons.ts'
import type { BlockedReason, Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'

/** The page cannot go on, and no try can change that. */
export function blockedScreen(
  reason: BlockedReason,
  { frame: { embedded }, tabAddress }: Pick<ScreenHost, 'frame' | 'tabAddress'>,
): Screen {
  const words = text.blocked[reason]
  const icon = reason === 'expired' ? clockIcon() : noticeIcon()
  const element = h('div', { class: 'centered' }, icon, heading(words.title), paragraph(words.text))
  if (reason === 'unsupported' && embedded)
    element.append(newTabLink(text.buttons.openTab, tabAddress, { kind: 'secondary' }))
  if (reason === 'expired' || reason === 'revoked') {
    element.append(paragraph(embedded ? text.outcome.embedded : text.outcome.close, 'hint'))
  }
  return { element, final: reason !== 'unsupported' }
}
