import { UsageError } from '@mintmark/cli/usage'

export { among, collect, needed, UsageError } from '@mintmark/cli/usage'

/** A parser for a whole number; null means without a limit. */
export const limit =
  (name: string) =>
  (text: string): number | null => {
    if (text === 'unlimited') return null
    if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${name} must be a whole number or unlimited`)
    return Number(text)
  }
