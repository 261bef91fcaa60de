import { madeOnce } from '../made-once.ts'

/** How a person reads amounts and times. Everything is written by `Intl`, nothing by hand. */
export interface Reader {
  /** BCP 47, such as `de-AT`. */
  locale: string
  /** IANA, such as `Europe/Vienna`; null: it is not known, and a day is that of UTC. */
  timeZone: string | null
}

/** Where a bare dollar is the dollar of the United States. */
const UNITED_STATES_DOLLAR = new Set('US AS BQ EC FM GU IO MH MP PA PR PW SV TC TL UM VG VI'.split(' '))

/**
 * `"1234.5"`, `"USD"` → `$1,234.50` for who pays with it at home, `US$1,234.50` for others. No floating point touches money: it is
 * formatted as the decimal text that it is, and none of its decimals is dropped.
 */
export function moneyText(amount: string, currency: string, { locale }: Pick<Reader, 'locale'>): string {
  const [, fraction = ''] = amount.split('.')
  const digits = Math.max(usualDigits(locale, currency), fraction.replace(/0+$/, '').length)
  const isForeign = currency === 'USD' && !UNITED_STATES_DOLLAR.has(regionOf(locale))
  return moneyFormat(locale, currency, digits)
    .formatToParts(amount as `${number}`)
    .map(({ type, value }) => (isForeign && type === 'currency' ? value.replace(/^\$$/, 'US$') : value))
    .join('')
}

const usualDigits = madeOnce((locale: string, currency: string) => {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat(locale, { style: 'currency', currency }).resolvedOptions()
  return maximumFractionDigits
})
const moneyFormat = madeOnce((locale: string, currency: string, digits: number) => {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return new Intl.NumberFormat(locale, { style: 'currency', currency, ...options })
})
const regionOf = madeOnce((locale: string) => new Intl.Locale(locale).maximize().region ?? '')

/** `November 23, 2028`, in the calendar that cards and shops count by. */
export function dayText(moment: Date, { locale, timeZone }: Reader): string {
  return plain(dayFormat(locale, timeZone ?? 'UTC').format(moment))
}

const dayFormat = madeOnce(
  (locale: string, timeZone: string) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'long', calendar: 'gregory', timeZone }),
)

/** `10080` is `7 days`, `1530` is `1 day, 1 hour and 30 minutes`. */
export function durationText(minutes: number, { locale }: Pick<Reader, 'locale'>): string {
  let left = minutes
  const parts = UNITS.flatMap(([size, unit]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? [] : [unitFormat(locale, unit).format(count)]
  })
  return plain(listText(parts, { locale }))
}

const unitFormat = madeOnce(
  (locale: string, unit: string) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }),
)

const UNITS = [
  [1_440, 'day'],
  [60, 'hour'],
  [1, 'minute'],
] as const

/** `one, two and three`; with `or` where one of them is enough. */
export function listText(
  parts: readonly string[],
  { locale }: Pick<Reader, 'locale'>,
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string {
  return listFormat(locale, type).format(parts)
}

const listFormat = madeOnce(
  (locale: string, type: 'conjunction' | 'disjunction') => new Intl.ListFormat(locale, { type }),
)

/** `https://shop.example/path` → `shop.example`, in ASCII: letters of other scripts may look like these. The text itself when it is no address. */
export function hostText(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address
}

/** A thin no-break space is a hole in many fonts, and no different to a reader. */
const plain = (text: string) => text.replaceAll('\u202f', '\u00a0')
