import { CONSOLE_ROLES } from '@mintmark/contract/console'
import { Unreachable } from '@mintmark/ui/backend.ts'
import { Button } from '@mintmark/ui/button.tsx'
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { said } from '../parts/page.tsx'
import { exactText } from '../parts/time.tsx'
import { who, wordsFor } from '../session.ts'
import { words } from '../text/sandbox/words.ts'
import { moveClock } from './clock.ts'

const isMoving = signal(false)
/** What went wrong with the last move. */
export const moveFailure = signal('')

/** Whether this person may move the time of the sandbox. */
export function mayMove(): boolean {
  const role = who.value?.person.role ?? 'viewer'
  return CONSOLE_ROLES.indexOf(role) >= CONSOLE_ROLES.indexOf('developer')
}

/** Each press is one move: where no answer came, the time that is shown says whether it was made. */
export async function move(seconds: number): Promise<void> {
  if (isMoving.value) return
  isMoving.value = true
  moveFailure.value = ''
  said.value = ''
  try {
    said.value = words.moved(exactText(await moveClock(seconds)))
  } catch (error) {
    moveFailure.value = error instanceof Unreachable ? words.notKnown : wordsFor(error)
  } finally {
    isMoving.value = false
  }
}

export function MoveButton({ seconds, children }: { seconds: () => number | undefined; children: ComponentChildren }) {
  function press(): void {
    const wanted = seconds()
    if (wanted !== undefined) void move(wanted)
  }
  return (
    <Button kind="secondary" busy={isMoving.value} onPress={press}>
      {children}
    </Button>
  )
}
