/**
 * The fields of an answer that this program shows, under the names of the API. The list is closed: what a server adds,
 * a card above all, reaches no standard output.
 */
export function chosen<T extends object, const K extends keyof T>(answer: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    names.flatMap((name) => (answer[name] === undefined ? [] : [[name, answer[name]]])),
  ) as Pick<T, K>
}
