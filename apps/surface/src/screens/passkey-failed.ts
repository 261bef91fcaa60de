import { button } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { crossIcon, noticeIcon } from '../icons.ts'
import type { PasskeyFailure, Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'

export function passkeyFailed(host: ScreenHost, failure: PasskeyFailure, words?: string | null): Screen {
  const general = text.passkeyFailures[failure]
  const mayBeLost = host.view.step === 'approval' && (failure === 'cancelled' || failure === 'unusable')
  return {
    element: h(
      'div',
      { class: 'centered' },
      // A dialog that was closed is no fault: only a passkey that was tried and refused is one.
      failure === 'refused' ? crossIcon() : noticeIcon(),
      heading(general.title),
      paragraph(words ?? general.text),
      button(text.buttons.tryAgain, () => host.redraw()),
      mayBeLost && failure === 'cancelled' && paragraph(text.passkeyElsewhere, 'hint'),
      mayBeLost && paragraph(text.passkeyLost, 'hint'),
    ),
  }
}
