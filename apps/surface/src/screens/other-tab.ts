import { newTabLink } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { windowIcon } from '../icons.ts'
import type { Desk, Screen } from '../screen.ts'

/** Some browsers give a frame no passkeys. The very same page may do it in a tab; the frame waits for it. */
export function otherTab(desk: Desk): Screen {
  const element = h(
    'div',
    { class: 'centered' },
    windowIcon(),
    heading('Continue in a new tab'),
    paragraph('Your browser allows passkeys only on a page of their own. Nothing you entered is lost.'),
    newTabLink('Continue in a new tab', 'primary', () => desk.show(waiting(desk))),
  )
  return { element }
}

function waiting(desk: Desk): Screen {
  let stop: (() => void) | undefined
  return {
    element: h(
      'div',
      { class: 'centered' },
      h('div', { class: 'spinner', 'aria-hidden': 'true' }),
      heading('Finish in the other tab'),
      paragraph('This page notices when you are done.'),
      newTabLink('Open the tab again', 'secondary', () => {}),
    ),
    enter() {
      stop = desk.follow((view) => view.step === 'processing' || view.step === 'done')
    },
    leave: () => stop?.(),
  }
}
