import { button } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { noticeIcon } from '../icons.tsx'
import { filled } from '../phrase.ts'
import type { Screen } from '../screen.ts'
import { text } from '../text/text.ts'

/** An error without a better screen. `again` is null where trying again cannot help. */
export function errorScreen(words: string, reference: string | null, again: (() => void) | null): Screen {
  const element = h('div', { class: 'centered' }, noticeIcon(), heading(text.error.title), paragraph(words))
  if (again) element.append(button(text.buttons.tryAgain, again))
  if (reference !== null) {
    element.append(paragraph(filled(text.error.reference, { code: { code: reference } }), 'hint reference'))
  }
  return { element }
}
