import { amountOf, minorOf } from '@mintmark/contract/amounts'
import type { Adjustment, MandateSetupView, SurfaceMandate } from '@mintmark/contract/wire/surface'
import { amountProblem, parseAmount } from '../../amount-rules.ts'
import { dayOf, endOfDay, lastDayProblem } from '../../date-rules.ts'
import { h } from '../../dom.ts'
import { createField, type Field } from '../../field.ts'
import { createForm } from '../../form.ts'
import { dateText } from '../../locale.ts'
import { decimalText, moneyPiece } from '../../money-text.ts'
import { foreign } from '../../phrase.ts'
import type { ScreenHost } from '../../screen.ts'
import type { Limits, LimitsUse } from '../flow.ts'
import { readTerms } from './terms.ts'
import { text } from './text/text.ts'

/** Where the merchant lets the cardholder lower the cap or bring the end nearer. */
export function mandateLimits(host: ScreenHost, { changed, send }: LimitsUse): Limits | null {
  const { mandate } = host.view as MandateSetupView
  if (!mandate.adjustable) return null
  const words = text.limits
  const amount = amountField(mandate)
  const until = untilField(mandate, host)
  const fields = until === null ? [amount] : [amount, until]
  const form = createForm({
    fields,
    submit: words.submit,
    busy: words.busy,
    kind: 'secondary',
    names: { 'adjust.amount': amount, ...(until !== null && { 'adjust.valid_until': until }) },
    send: async () => {
      if (!(await send(adjustmentOf(mandate, amount, until), form.refused))) return
      element.open = false
      opener.focus()
      host.say(words.changed)
    },
  })
  const opener = h('summary', {}, words.open)
  const element = h('details', { class: 'more limits', hidden: true }, opener, form.element)
  let agreed: string[] = []
  const fill = () => {
    form.clear()
    for (const [index, { input }] of fields.entries()) input.value = agreed[index] ?? ''
  }
  form.element.addEventListener('input', changed)
  element.addEventListener('toggle', () => {
    // Closed means as it was: what was typed and not used must not look as if it counted.
    if (!element.open) fill()
    changed()
  })
  return {
    element,
    pending: () => !element.hidden && fields.some(({ input }, index) => input.value !== agreed[index]),
    follow(value) {
      const terms = readTerms(value)
      if (terms === null) return
      agreed = [decimalText(terms.amount, mandate.currency)]
      if (terms.valid_until !== null) agreed.push(dayOf(new Date(terms.valid_until)))
      element.hidden = false
      fill()
    },
  }
}

function amountField({ amount: asked, currency, recurring_frequency }: SurfaceMandate): Field {
  const words = text.limits
  const most = moneyPiece(asked, currency)
  return createField({
    label: words.amount(recurring_frequency, currency),
    name: 'limit-amount',
    autocomplete: 'off',
    inputmode: 'decimal',
    hint: words.amountHint(most),
    refused: words.amountRefused,
    problem: (value) => {
      switch (amountProblem(value, { most: asked, currency })) {
        case 'missing':
          return words.amountMissing
        case 'unreadable':
          return words.amountUnreadable(decimalText(asked, currency))
        case 'zero':
          return words.amountZero
        case 'above':
          return words.amountAbove(most)
        case null:
          return null
      }
    },
  })
}

/** Null where there is no earlier day to choose. */
function untilField({ valid_until: asked }: SurfaceMandate, host: ScreenHost): Field | null {
  if (asked === null) return null
  const words = text.limits
  const last = new Date(asked)
  const tomorrow = new Date(host.now().getTime())
  tomorrow.setDate(tomorrow.getDate() + 1)
  if (dayOf(last) <= dayOf(tomorrow)) return null
  return createField({
    label: words.until,
    name: 'limit-until',
    autocomplete: 'off',
    days: { first: dayOf(tomorrow), last: dayOf(last) },
    hint: words.untilHint(foreign(dateText(last))),
    refused: words.untilRefused,
    problem: (value) => {
      switch (lastDayProblem(value, { now: host.now(), last })) {
        case 'missing':
          return words.untilMissing
        case 'past':
          return words.untilPast
        case 'late':
          return words.untilLate(foreign(dateText(last)))
        case null:
          return null
      }
    },
  })
}

/** What differs from what the merchant asked for; null when nothing does. */
function adjustmentOf(mandate: SurfaceMandate, amount: Field, until: Field | null): Adjustment | null {
  const adjustment: Adjustment = {}
  const minor = parseAmount(amount.input.value)
  if (minor !== null && minor !== minorOf(mandate.amount)) adjustment.amount = amountOf(minor)
  const day = until?.input.value
  if (day !== undefined && mandate.valid_until !== null && day !== dayOf(new Date(mandate.valid_until))) {
    adjustment.valid_until = endOfDay(day).toISOString()
  }
  return Object.keys(adjustment).length === 0 ? null : adjustment
}
