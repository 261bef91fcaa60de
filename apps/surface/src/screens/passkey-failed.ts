import { button } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { crossIcon, noticeIcon } from '../icons.ts'
import type { PasskeyFailure, Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'

export function passkeyFailed(host: ScreenHost, failure: PasskeyFailure, words?: string | null): Screen {
  const general = text.passkeyFailures[failure]
  const mayBeLost = host.view.step === 'approval' && failure === 'unusable'
  return {
    element: h(
      'div',
      { class: 'centered' },
      // Only a passkey that was tried and refused is a fault.
      failure === 'refused' ? crossIcon() : noticeIcon(),
      heading(general.title),
      paragraph(words ?? general.text),
      button(text.buttons.tryAgain, () => host.redraw()),
      mayBeLost && paragraph(text.passkeyLost, 'hint'),
    ),
  }
}
