/** Keeps a value in a map that holds at most so many. What was kept longest ago makes room; to keep it again makes it the newest. */
export function remember<Value>(map: Map<string, Value>, most: number, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
