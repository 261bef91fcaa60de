import { newTabLink } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { spinner, windowIcon } from '../icons.tsx'
import type { Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'

/** Some browsers give a frame no passkeys. The very same page may do it in a tab; the frame waits for it. */
export function otherTab(host: ScreenHost): Screen {
  const words = text.otherTab
  const element = h(
    'div',
    { class: 'centered' },
    windowIcon(),
    heading(words.title),
    paragraph(words.text),
    newTabLink(words.open, host.tabAddress, { opened: () => host.show(waiting(host)) }),
  )
  return { element }
}

function waiting(host: ScreenHost): Screen {
  let stop: (() => void) | undefined
  return {
    element: h(
      'div',
      { class: 'centered' },
      spinner(),
      heading(text.otherTab.waitingTitle),
      paragraph(text.otherTab.waitingText),
      newTabLink(text.otherTab.openAgain, host.tabAddress, { kind: 'secondary' }),
    ),
    enter() {
      stop = host.follow((view) => view.step === 'processing' || view.step === 'done')
    },
    leave: () => stop?.(),
  }
}
