/** How a reader reads amounts and times. Everything is written by `Intl`, nothing by hand. */
export interface Reader {
  /** BCP 47, such as `de-AT`. */
  locale: string
  /** IANA, such as `Europe/Vienna`; null: it was not said, and times are said with their zone. */
  timeZone: string | null
}

/** Where a bare dollar is the dollar of the United States. */
const UNITED_STATES_DOLLAR = new Set('US AS BQ EC FM GU IO MH MP PA PR PW SV TC TL UM VG VI'.split(' '))

/**
 * `"1234.5"`, `"USD"` → `$1,234.50` for who pays with it at home, `US$1,234.50` for others. No floating point touches
 * money: it is formatted as the decimal text that it is, and none of its decimals is dropped.
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

const usualDigits = (locale: string, currency: string): number =>
  keep(`digits ${locale} ${currency}`, () => {
    const { maximumFractionDigits } = new Intl.NumberFormat(locale, { style: 'currency', currency }).resolvedOptions()
    return maximumFractionDigits ?? 2
  })

const regionOf = (locale: string): string =>
  keep(`region ${locale}`, () => new Intl.Locale(locale).maximize().region ?? '')

const moneyFormat = (locale: string, currency: string, digits: number): Intl.NumberFormat =>
  keep(`money ${locale} ${currency} ${digits}`, () => {
    const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    return new Intl.NumberFormat(locale, { style: 'currency', currency, ...fraction })
  })

/** `November 23, 2028`, in the calendar that cards and shops count by. */
export function dayText(moment: Date, { locale, timeZone }: Reader): string {
  const zone = timeZone ?? 'UTC'
  const options = { dateStyle: 'long', calendar: 'gregory', timeZone: zone } as const
  return plain(keep(`day ${locale} ${zone}`, () => new Intl.DateTimeFormat(locale, options)).format(moment))
}

/** `15:56`, and `15:56 UTC` where the reader's zone is not known. */
export function timeText(moment: Date, { locale, timeZone }: Reader): string {
  const zone = timeZone === null ? ({ timeZone: 'UTC', timeZoneName: 'short' } as const) : { timeZone }
  const options = { hour: 'numeric', minute: '2-digit', ...zone } as const
  return plain(keep(`time ${locale} ${timeZone}`, () => new Intl.DateTimeFormat(locale, options)).format(moment))
}

/** The largest unit that says it exactly: `10080` is `7 days`, `90` is `90 minutes`. */
export function durationText(minutes: number, { locale }: Pick<Reader, 'locale'>): string {
  const [size, unit] = UNITS.find(([each]) => minutes % each === 0) ?? UNITS[2]
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return plain(format.format(minutes / size))
}

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
  return new Intl.ListFormat(locale, { type }).format(parts)
}

const MAX_KEPT = 100
const kept = new Map<string, unknown>()

/**
 * To make a formatter costs fifty times what it costs to write with it, and readers are alike. The newest hundred are
 * kept, since locales and zones come from callers.
 */
function keep<Made>(key: string, make: () => Made): Made {
  const known = kept.get(key)
  if (known !== undefined) return known as Made
  const made = make()
  const [oldest] = kept.keys()
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest)
  kept.set(key, made)
  return made
}

/** A thin no-break space is a hole in many fonts, and no different to a reader. */
const plain = (text: string) => text.replaceAll('\u202f', '\u00a0')
