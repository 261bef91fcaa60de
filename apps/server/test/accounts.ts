import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

// What a run costs a processor, file by file: `TEST_ACCOUNTS=<file>` appends a line of JSON for each test file, and one
// for what a run has beside them. The clock on the wall says little where other work runs on the same machine.

/** Hundredths of a second, which is what the system counts in. */
interface Spent {
  user: number
  system: number
  /** Programs that were started, have ended and were waited for. */
  programsUser: number
  programsSystem: number
  /** Pages of memory that had to be found. */
  faults: number
}

const FILE = process.env.TEST_ACCOUNTS
let before: Spent = { user: 0, system: 0, programsUser: 0, programsSystem: 0, faults: 0 }

/** Since the last file of this process, or since its start. */
export function accountFor(testFile: string): void {
  if (FILE === undefined) return
  const now = spent('self')
  write(relative(process.cwd(), testFile), {
    user: now.user - before.user,
    system: now.system - before.system,
    programsUser: now.programsUser - before.programsUser,
    programsSystem: now.programsSystem - before.programsSystem,
    faults: now.faults - before.faults,
  })
  before = now
}

/** What a process and those it has waited for have spent until now. */
export function accountOf(name: string, pid: number | 'self'): void {
  if (FILE !== undefined) write(name, spent(pid))
}

function write(name: string, account: Spent): void {
  appendFileSync(FILE ?? '', `${JSON.stringify({ name, pid: process.pid, ...account })}\n`)
}

/** `proc(5)`; zeros on a system that has none. */
function spent(pid: number | 'self'): Spent {
  let text = ''
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // Not on this system, or gone.
  }
  // Behind the name, which may have blanks and brackets in it.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [faults = 0, user = 0, system = 0, programsUser = 0, programsSystem = 0] = [7, 11, 12, 13, 14].map(
    (at) => fields[at],
  )
  return { user, system, programsUser, programsSystem, faults }
}
