import { button } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { crossIcon } from '../icons.ts'
import type { Desk, PasskeyTrouble, Screen } from '../screen.ts'

const WORDS: Record<PasskeyTrouble, { title: string; text: string }> = {
  cancelled: {
    title: 'The passkey was not used',
    text: 'You closed the dialog or it took too long. Nothing was approved.',
  },
  exists: {
    title: 'This device has a passkey already',
    text: 'Try again and choose another device or security key, for example your phone.',
  },
  refused: {
    title: 'The passkey could not be verified',
    text: 'Nothing was approved. Try again with the passkey you use for this merchant.',
  },
  unusable: {
    title: 'Your device could not use a passkey',
    text: 'Check that a screen lock is set up, or use another device or browser.',
  },
}

export function passkeyFailed(desk: Desk, trouble: PasskeyTrouble, words?: string): Screen {
  const { title, text } = WORDS[trouble]
  return {
    element: h(
      'div',
      { class: 'centered' },
      crossIcon(),
      heading(title),
      paragraph(words ?? text),
      button('Try again', () => desk.redraw()),
    ),
  }
}
