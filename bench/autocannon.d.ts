/** The part of the load generator used here; the package brings no types. */
declare module 'autocannon' {
  interface Client {
    setRequests(requests: readonly object[]): void
  }
  interface Result {
    '2xx': number
    non2xx: number
    statusCodeStats: Record<string, { count: number }>
    errors: number
    timeouts: number
    /** Seconds. */
    duration: number
  }
  function autocannon(options: {
    url: string
    connections: number
    duration: number
    sampleInt?: number
    setupClient(client: Client): void
  }): Promise<Result>
  export = autocannon
}
