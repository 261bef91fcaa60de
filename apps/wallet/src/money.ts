/** As a person reads it. */
export function money(amount: string, currency: string): string {
  const number = Number(amount)
  const whole = Number.isInteger(number) ? { minimumFractionDigits: 0 } : {}
  return new Intl.NumberFormat(navigator.language, { style: 'currency', currency, ...whole }).format(number)
}

export function time(iso: string): string {
  return new Intl.DateTimeFormat(navigator.language, { hour: 'numeric', minute: '2-digit' }).format(new Date(iso))
}

export function day(iso: string): string {
  return new Intl.DateTimeFormat(navigator.language, { day: 'numeric', month: 'short' }).format(new Date(iso))
}

/** A time of another day with its day. */
export function moment(iso: string): string {
  return new Date(iso).toDateString() === new Date().toDateString() ? time(iso) : `${day(iso)}, ${time(iso)}`
}

/** The first and last characters of a long name, which people compare. */
export function short(name: string): string {
  return name.length <= 14 ? name : `${name.slice(0, 6)}…${name.slice(-6)}`
}
