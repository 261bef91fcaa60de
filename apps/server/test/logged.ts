import { createLog, type LogLevel } from '../src/platform/log.ts'

/** A log that a test reads, from a level on: its lines, what they say, and those that are an alarm. */
export function keepLog(level: LogLevel) {
  const lines: string[] = []
  const log = createLog({ level, destination: { write: (line) => lines.push(line) } })
  const entries = () => lines.map((line) => JSON.parse(line))
  const alarms = (wanted = 'row_tampered') => entries().filter(({ alarm }) => alarm === wanted)
  return { log, lines, entries, alarms }
}
