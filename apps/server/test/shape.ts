/** The types of all values by their places; what is null in one of the two is left out of both. */
export function shapeOf(value: unknown, other: unknown): unknown {
  if (value === null || other === null) return null
  if (typeof value !== 'object' || typeof other !== 'object') return typeof value
  const others = other as Record<string, unknown>
  return Object.entries(value).map(([name, inner]) => [name, name in others ? shapeOf(inner, others[name]) : 'alone'])
}
