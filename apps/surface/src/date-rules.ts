/** The day of a moment in the reader's time zone, as a date field writes it: `2027-11-21`. */
export function dayOf(moment: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`
}

/** Until a day means until it is over, where the reader is. */
export function endOfDay(day: string): Date {
  return new Date(`${day}T23:59:59.999`)
}

/** Null for a day after today and no later than the last one. A date field's value is empty until it is whole. */
export function lastDayProblem(
  day: string,
  { now, last }: { now: Date; last: Date },
): 'missing' | 'past' | 'late' | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return 'missing'
  if (day <= dayOf(now)) return 'past'
  return day > dayOf(last) ? 'late' : null
}
