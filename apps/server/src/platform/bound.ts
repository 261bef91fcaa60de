type UseCase<Deps> = (deps: Deps, ...args: never[]) => unknown

/** A use case with its dependencies already given. */
type Bound<Work> = Work extends (deps: never, ...args: infer Args) => infer Result ? (...args: Args) => Result : never

/**
 * Builds a service from its use cases: each is declared once, as a function whose first parameter is what it depends
 * on. The type of the service is derived from them (`ReturnType`), so nothing is written a second time.
 */
export function bound<Deps, UseCases extends Record<string, UseCase<Deps>>>(
  deps: Deps,
  useCases: UseCases,
): { [Name in keyof UseCases]: Bound<UseCases[Name]> } {
  const entries = Object.entries(useCases).map(([name, work]) => [name, work.bind(null, deps)])
  return Object.fromEntries(entries)
}
