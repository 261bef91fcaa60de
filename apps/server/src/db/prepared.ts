import { typeParsers } from './pool.ts'

/** The parts of the driver's connection that an execution speaks through. */
export interface Wire {
  stream: { writable: boolean; cork(): void; uncork(): void; write(bytes: Buffer): unknown }
  /** Texts that the server has confirmed, and that are on their way to it, by name. The driver keeps both. */
  parsedStatements: Record<string, string | undefined>
  submittedNamedStatements: Record<string, string | undefined>
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: readonly WireValue[] }): void
}

/** A parameter as it is sent: bytes for `bytea`, a text for everything else. */
export type WireValue = string | Buffer | null

interface Column {
  name: string
  parse: (text: string) => unknown
}

/** What a statement returned: values in the order of the columns, and how many rows it returned or changed. */
export interface Answer {
  columns: readonly Column[]
  rows: unknown[][]
  rowCount: number
  /** What the server says that it did, such as `UPDATE 1`. */
  tag: string
}

/** The columns of each statement on a connection, once the server has described them. It refuses to let them change. */
const describedOn = new WeakMap<Wire, Map<string, readonly Column[]>>()

// Messages of protocol 3.0 about the unnamed portal: Describe, Execute without a limit, Sync.
const EXECUTE = Buffer.from('E\0\0\0\x09\0\0\0\0\0', 'latin1')
const DESCRIBE_AND_EXECUTE = Buffer.concat([Buffer.from('D\0\0\0\x06P\0', 'latin1'), EXECUTE])
const SYNC = Buffer.from('S\0\0\0\x04', 'latin1')

/**
 * One execution of a prepared statement, as the driver's client takes it in place of a text. The driver's own asks each time
 * what the columns are: for a row of sixty that is more work than the row, for the server and for this process. This one asks
 * once a connection.
 */
export class Execution {
  readonly name: string
  readonly text: string
  readonly values: readonly WireValue[]
  readonly query_timeout: number
  /** Set by the pool; the client wraps it, to stop its timer. */
  callback: ((error: Error | null, answer?: Answer) => void) | undefined
  #columns: readonly Column[] | undefined
  #isDescribed = false
  readonly #rows: unknown[][] = []
  #tag = ''
  #error: Error | undefined
  readonly #end = Promise.withResolvers<void>()

  constructor(statement: { name: string; text: string }, values: readonly WireValue[], timeoutMillis: number) {
    this.name = statement.name
    this.text = statement.text
    this.values = values
    this.query_timeout = timeoutMillis
  }

  /** For a caller without the pool: what comes of it. */
  async answer(): Promise<Answer> {
    await this.#end.promise
    if (this.#error === undefined) return this.#answer()
    // The stack of the caller, not of the socket.
    Error.captureStackTrace(this.#error)
    throw this.#error
  }

  #answer(): Answer {
    const rowCount = Number(this.#tag.slice(this.#tag.lastIndexOf(' ') + 1))
    return { columns: this.#columns ?? [], rows: this.#rows, rowCount, tag: this.#tag }
  }

  /** Called by the client when it is this statement's turn. Null: nothing went wrong. */
  submit(wire: Wire): null {
    return submitAll([[this]], wire)
  }

  send(wire: Wire): void {
    const { name, values } = this
    this.#columns = describedOn.get(wire)?.get(name)
    this.#isDescribed = this.#columns !== undefined
    // What was described on this connection was parsed there.
    if (!this.#isDescribed) this.#parse(wire)
    wire.bind({ statement: name, values })
    wire.stream.write(this.#isDescribed ? EXECUTE : DESCRIBE_AND_EXECUTE)
  }

  #parse(wire: Wire): void {
    const { name, text } = this
    if (wire.parsedStatements[name] !== undefined || wire.submittedNamedStatements[name] !== undefined) return
    wire.parse({ name, text })
    wire.submittedNamedStatements[name] = text
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: typeParsers.getTypeParser(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const columns = this.#columns ?? []
    this.#rows.push(fields.map((text, place) => (text === null ? null : columns[place]?.parse(text))))
  }

  handleCommandComplete({ text }: { text: string }, wire: Wire): void {
    this.#tag = text
    if (this.#isDescribed) return
    const described = describedOn.get(wire) ?? new Map<string, readonly Column[]>()
    // One that returns no rows has no columns.
    described.set(this.name, this.#columns ?? [])
    describedOn.set(wire, described)
  }

  handleReadyForQuery(): void {
    this.#end.resolve()
    this.callback?.(null, this.#answer())
  }

  handleError(error: Error): void {
    this.#error = error
    this.#end.resolve()
    this.callback?.(error)
  }
}

/** A Sync for each group: after an error the server skips what is left of its group. */
function submitAll(groups: readonly (readonly Execution[])[], wire: Wire): null {
  // The loss of the connection ends the execution, as with the driver's own.
  if (!wire.stream.writable) return null
  wire.stream.cork()
  for (const executions of groups) {
    for (const execution of executions) execution.send(wire)
    wire.stream.write(SYNC)
  }
  wire.stream.uncork()
  return null
}

/**
 * Executions that are sent together and waited for once. Each sees what those before it did. After an error none of those behind it
 * is executed; outside of a transaction none of them takes effect then.
 *
 * What it takes along is sent with it, and stands by itself: executed afterwards, whatever became of these. The client has to be given that
 * next.
 */
export class Together {
  readonly executions: readonly Execution[]
  behind: Together | undefined
  readonly query_timeout: number
  /** Another sends it, behind itself. */
  isBehind = false
  /** Set by the client, to stop its timer. */
  callback: (() => void) | undefined
  #place = 0

  constructor(executions: readonly Execution[]) {
    this.executions = executions
    this.query_timeout = Math.min(...executions.map(({ query_timeout }) => query_timeout))
  }

  /** Not those that are in both: they would not be parsed again, though an error of these may keep them from being parsed at all. */
  takeAlong(behind: Together): void {
    if (behind.executions.some(({ name }) => this.executions.some((own) => own.name === name))) return
    this.behind = behind
    behind.isBehind = true
  }

  /** The name of the one whose answer comes next: the driver notes what was parsed. */
  get name(): string {
    return this.#now?.name ?? ''
  }
  get text(): string {
    return this.#now?.text ?? ''
  }
  get #now(): Execution | undefined {
    return this.executions[this.#place]
  }

  submit(wire: Wire): null {
    if (this.isBehind) return null
    return submitAll(this.behind === undefined ? [this.executions] : [this.executions, this.behind.executions], wire)
  }

  handleRowDescription(message: Parameters<Execution['handleRowDescription']>[0]): void {
    this.#now?.handleRowDescription(message)
  }

  handleDataRow(message: Parameters<Execution['handleDataRow']>[0]): void {
    this.#now?.handleDataRow(message)
  }

  handleCommandComplete(message: { text: string }, wire: Wire): void {
    this.#now?.handleCommandComplete(message, wire)
    this.#place += 1
  }

  handleReadyForQuery(): void {
    for (const execution of this.executions) execution.handleReadyForQuery()
    this.callback?.()
  }

  handleError(error: Error, wire?: Wire): void {
    for (const execution of this.executions) {
      execution.handleError(error)
      // What was sent to be parsed, and was skipped.
      if (wire !== undefined) delete wire.submittedNamedStatements[execution.name]
    }
    this.callback?.()
  }
}

/** A value in PostgreSQL's text form; bytes stay bytes. */
export function wireValue(value: unknown): WireValue {
  if (value === null || typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (Array.isArray(value)) return `{${value.map(arrayItem).join(',')}}`
  if (typeof value === 'object' || value === undefined) throw new TypeError('This value has no form in SQL.')
  return String(value)
}

function arrayItem(item: unknown): string {
  const value = wireValue(item)
  if (value === null) return 'NULL'
  if (typeof value !== 'string') return `"\\\\x${value.toString('hex')}"`
  return Array.isArray(item) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}
