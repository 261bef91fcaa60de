import { button, newTabLink } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { noticeIcon } from '../icons.ts'
import type { Screen } from '../screen.ts'

/** Why the page cannot go on at all. */
export type Dead = 'incomplete_link' | 'unknown_link' | 'not_embeddable' | 'unsupported' | 'finished'

const WORDS: Record<Dead, { title: string; text: string }> = {
  incomplete_link: {
    title: 'This link is incomplete',
    text: 'Its last part is missing. Open it again from the merchant’s page, or copy all of it.',
  },
  unknown_link: {
    title: 'This link does not open a payment',
    text: 'It may be mistyped or too old. Start again from the merchant’s page.',
  },
  not_embeddable: {
    title: 'This page cannot be embedded here',
    text: 'The site around this page is not one the merchant has registered. Do not enter card details here.',
  },
  unsupported: {
    title: 'This browser cannot use passkeys',
    text: 'You approve payments with a passkey. Open this page in an up-to-date browser, on a device with a screen lock.',
  },
  finished: {
    title: 'This payment is finished already',
    text: 'Nothing is left to do here. The merchant knows the result.',
  },
}

export function deadEnd(kind: Dead, embedded = false): Screen {
  const { title, text } = WORDS[kind]
  const element = h('div', { class: 'centered' }, noticeIcon(), heading(title), paragraph(text))
  if (kind === 'unsupported' && embedded) element.append(newTabLink('Open in a new tab', 'secondary', () => {}))
  return { element, final: kind !== 'unsupported' }
}

/** An error without a better screen. `again` is null where trying again cannot help. */
export function trouble(text: string, reference: string | null, again: (() => void) | null): Screen {
  const element = h('div', { class: 'centered' }, noticeIcon(), heading('That did not work'), paragraph(text))
  if (again) element.append(button('Try again', again))
  if (reference !== null) {
    element.append(h('p', { class: 'hint reference' }, 'Reference ', h('code', {}, reference)))
  }
  return { element }
}
