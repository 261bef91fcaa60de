import { amountOf, minorOf } from '@mintmark/contract/amounts'
import { CURRENCIES } from '@mintmark/contract/currencies'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { text } from './text/en.ts'

/** What stands in the form. An empty amount is no limit of that kind. */
export interface Draft {
  currency: string
  charge: string
  day: string
  month: string
  open: string
  onlyShops: boolean
  shops: string
  onlyHours: boolean
  from: string
  to: string
  zone: string
  askAbove: string
  askRepeats: boolean
}

export const CURRENCY_CODES: readonly string[] = CURRENCIES

/** Little, so that who presses without reading has not given much away. */
export const narrow = (): Draft => ({
  ...{ currency: 'USD', charge: '20', day: '50', month: '200', open: '3', askAbove: '', askRepeats: true },
  ...{ onlyShops: false, shops: '', onlyHours: false, from: '08:00', to: '22:00' },
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})

export function draftOf(limits: AgentLimits): Draft {
  const { currency, charge, day, month, open, merchants, hours, ask_above: askAbove } = limits
  const amount = (value: string | null) => (value ?? '').replace(/\.00$/, '')
  return {
    ...narrow(),
    ...{ currency, charge: amount(charge), day: amount(day), month: amount(month), askAbove: amount(askAbove) },
    ...{ open: open === null ? '' : String(open), onlyShops: merchants !== null, onlyHours: hours !== null },
    askRepeats: limits.ask_repeats === true,
    shops: (merchants ?? []).join(', '),
    ...hours,
  }
}

export type Problems = { [Field in keyof Draft]?: string | undefined }

const AMOUNT = /^\d{1,12}(?:[.,]\d{1,2})?$/
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$|^localhost$/

/** The hosts that were named, also by whole addresses, as people copy them. */
export function shopsOf(list: string): string[] {
  const names = list.split(/[\s,;]+/).filter((name) => name !== '')
  return [
    ...new Set(
      names.map((name) =>
        name
          .toLowerCase()
          .replace(/^https?:\/\//, '')
          .replace(/[/?#:].*$/, ''),
      ),
    ),
  ]
}

/** The limits that the form says, or what is wrong with it, by field. */
export function limitsOf(draft: Draft): { limits: AgentLimits } | { problems: Problems } {
  const problems: Problems = {}
  const amount = (field: 'charge' | 'day' | 'month' | 'askAbove', zero = false) => {
    const given = draft[field].trim()
    if (given === '') return null
    const minor = AMOUNT.test(given) ? minorOf(given.replace(',', '.')) : 0n
    if (!AMOUNT.test(given) || (!zero && minor === 0n)) problems[field] = text.amountWrong
    return amountOf(minor)
  }
  const [charge, day, month] = [amount('charge'), amount('day'), amount('month')]
  const askAbove = amount('askAbove', true)
  const isCount = /^\d{1,4}$/.test(draft.open.trim()) && Number(draft.open) >= 1 && Number(draft.open) <= 1000
  if (draft.open.trim() !== '' && !isCount) problems.open = text.countWrong
  const merchants = draft.onlyShops ? shopsOf(draft.shops) : null
  if (merchants?.length === 0) problems.shops = text.shopsNeeded
  const wrong = merchants?.find((host) => !HOST.test(host))
  if (wrong !== undefined) problems.shops = text.shopWrong(wrong)
  const hours = draft.onlyHours ? { from: draft.from, to: draft.to, zone: draft.zone } : null
  if (hours !== null && (hours.from === '' || hours.to === '')) problems.from = text.hoursWrong
  const limits = {
    currency: draft.currency as AgentLimits['currency'],
    ...{ charge, day, month, ask_above: askAbove, ask_repeats: draft.askRepeats },
    ...{ open: draft.open.trim() === '' ? null : Number(draft.open), merchants, hours },
  }
  return Object.keys(problems).length > 0 ? { problems } : { limits }
}
