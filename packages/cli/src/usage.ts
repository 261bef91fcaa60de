/** The words of a command are wrong. The program prints the message, and below it how the command is used. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'WRONG_USAGE'
}

/**
 * An option or argument that the command cannot do without. The parser's own required options are not used: it would
 * report them missing before it reports a misspelt option.
 */
export function needed<T>(value: T | undefined, name: string): T {
  if (value === undefined || value === '') throw new UsageError(`${name} is missing`)
  return value
}

/** A parser for one of a few words. */
export const among =
  <const T extends string>(name: string, words: readonly [T, ...T[]]) =>
  (text: string): T => {
    const found = words.find((word) => word === text)
    if (found !== undefined) return found
    throw new UsageError(`${name} must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`)
  }

/** A parser for an option that may be given several times. */
export const collect = (text: string, before: string[] = []) => [...before, text]
