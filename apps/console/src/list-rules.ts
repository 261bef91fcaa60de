/** How many of what came are not shown yet. */
export function countNew<Item>(shown: readonly Item[], came: readonly Item[], idOf: (item: Item) => string): number {
  const known = new Set(shown.map(idOf))
  return came.filter((item) => !known.has(idOf(item))).length
}

/** The same items in the same places, each as it came last. */
export function freshened<Item>(
  shown: readonly Item[],
  came: readonly Item[],
  idOf: (item: Item) => string,
): readonly Item[] {
  const newest = new Map(came.map((item) => [idOf(item), item]))
  return shown.map((item) => newest.get(idOf(item)) ?? item)
}

/** A path with one more parameter. */
export function addedTo(path: string, name: string, value: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ [name]: value })}`
}
