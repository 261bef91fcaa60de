/** More than all money that there is. */
export const ENDLESS = 10n ** 24n

interface Edge {
  to: number
  left: bigint
  /** The place of the edge back, among those of `to`. */
  back: number
}

/**
 * How much flows through a net at most: from permissions through their windows to the days on which they can be used.
 * Edmonds and Karp: each round takes the shortest way that has something left.
 */
export function createNet() {
  const edges: Edge[][] = [[], []]
  const [source, sink] = [0, 1]
  const edgesOf = (node: number) => edges[node] as Edge[]

  function connect(from: number, to: number, most: bigint): void {
    const [out, back] = [edgesOf(from), edgesOf(to)]
    out.push({ to, left: most, back: back.length })
    back.push({ to: from, left: 0n, back: out.length - 1 })
  }

  /** For each node on the way the edge that led there; undefined: the sink is not reached any more. */
  function shortestWay(): Map<number, Edge> | undefined {
    const cameBy = new Map<number, Edge>()
    const queue = [source]
    for (const node of queue) {
      for (const edge of edgesOf(node)) {
        if (edge.left === 0n || edge.to === source || cameBy.has(edge.to)) continue
        cameBy.set(edge.to, edge)
        if (edge.to === sink) return cameBy
        queue.push(edge.to)
      }
    }
    return undefined
  }

  const backOf = (edge: Edge) => edgesOf(edge.to)[edge.back] as Edge

  function push(way: Map<number, Edge>): bigint {
    const taken: Edge[] = []
    for (let node = sink; node !== source; ) {
      const edge = way.get(node) as Edge
      taken.push(edge)
      node = backOf(edge).to
    }
    const amount = taken.reduce((least, { left }) => (left < least ? left : least), ENDLESS)
    for (const edge of taken) {
      edge.left -= amount
      backOf(edge).left += amount
    }
    return amount
  }

  return {
    source,
    sink,
    connect,
    addNode: () => edges.push([]) - 1,
    most(): bigint {
      let total = 0n
      for (let way = shortestWay(); way !== undefined; way = shortestWay()) total += push(way)
      return total
    },
  }
}
