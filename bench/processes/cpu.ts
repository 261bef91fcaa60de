import { readFile } from 'node:fs/promises'

const TICK_MILLIS = 10

/**
 * Processor time a process has used so far, all its threads together. Null where the system does not tell (Linux does).
 */
export async function cpuMillis(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  // The second field is the program's name in parentheses and may hold spaces; user and system time are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MILLIS
}
