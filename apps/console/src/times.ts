const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS = [
  [DAY, 'day', HOUR, 'hour'],
  [HOUR, 'hour', MINUTE, 'minute'],
  [MINUTE, 'minute', SECOND, 'second'],
] as const

/**
 * As exact as it is of use: `31ms`, `4.2s`, `31s`, `2m 5s`, `3h 20m`, `4d`. A smaller unit that is nothing is left out.
 */
export function duration(millis: number, locale: string): string {
  const found = UNITS.find(([size]) => millis >= size)
  if (millis < SECOND) return inUnit(Math.round(millis), 'millisecond', locale)
  if (found === undefined) return inUnit(millis / SECOND, 'second', locale, millis < 10 * SECOND ? 1 : 0)
  const [large, largeName, small, smallName] = found
  const rest = Math.floor((millis % large) / small)
  const whole = inUnit(Math.floor(millis / large), largeName, locale)
  return rest === 0 ? whole : `${whole} ${inUnit(rest, smallName, locale)}`
}

function inUnit(amount: number, unit: string, locale: string, digits = 0): string {
  const options = { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits: digits } as const
  return new Intl.NumberFormat(locale, options).format(amount)
}

/** How long after the first of them something was. */
export function since(start: string, at: string, locale: string): string {
  return `+ ${duration(Math.max(0, Date.parse(at) - Date.parse(start)), locale)}`
}

/** A moment exact to the second, with its zone. */
export function exactly(iso: string, locale: string): string {
  const moment = new Date(iso)
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(moment)
  const options = { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const
  return `${day}, ${new Intl.DateTimeFormat(locale, options).format(moment)}`
}

/** As one says it: the time of a moment of today, the day too of others, and the year of those of another year. */
export function shortly(iso: string, now: Date, locale: string): string {
  const moment = new Date(iso)
  const isToday = moment.toDateString() === now.toDateString()
  const time = { hour: 'numeric', minute: '2-digit' } as const
  const year = moment.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  const day = { day: 'numeric', month: 'short', ...year } as const
  return new Intl.DateTimeFormat(locale, isToday ? { ...time, second: '2-digit' } : { ...day, ...time }).format(moment)
}
