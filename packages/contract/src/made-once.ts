/** Results that one function keeps. Clients name locales and zones as they like, without end; those of one place are few. */
const MAX_KNOWN = 64

/**
 * A function that remembers what it has made of the same texts. A formatter of `Intl` takes some 20 µs to make, and one to use. What was made
 * first is forgotten first. What throws is not remembered.
 */
export function madeOnce<Key extends readonly (string | number | null)[], Made>(
  make: (...key: Key) => Made,
): (...key: Key) => Made {
  const known = new Map<string, Made>()
  return (...key) => {
    const name = key.join('\n')
    const made = known.get(name) ?? make(...key)
    if (known.has(name)) return made
    const [oldest] = known.keys()
    if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest)
    known.set(name, made)
    return made
  }
}
