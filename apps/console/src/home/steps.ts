import type { ConsoleHome } from '@mintmark/contract/wire/console'

type Steps = ConsoleHome['steps']
interface Step {
  step: Steps[number]['step']
  /** Null: not known, of a step without which a later one could not have been. */
  at: string | null
  state: 'done' | 'next' | 'later'
}

/** How each of the four stands. The first that is not done is next; nothing is done without the key. */
export function stepsOf(steps: Steps): Step[] {
  const isKeyUsed = steps.some(({ at }) => at !== null)
  const isDone = ({ step, at }: Steps[number]) => at !== null || (step === 'key_used' && isKeyUsed)
  const next = steps.find((one) => !isDone(one))?.step
  return steps.map((one) => ({ ...one, state: isDone(one) ? 'done' : one.step === next ? 'next' : 'later' }))
}

export const isFirstRun = ({ steps }: Pick<ConsoleHome, 'steps'>) =>
  stepsOf(steps).some(({ state }) => state !== 'done')
