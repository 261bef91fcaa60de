import type { ClientBase, Connection, Submittable } from 'pg'

/** What the server says of a statement without running it. Types are OIDs. */
export interface Description {
  parameterTypes: number[]
  columns: { name: string; type: number }[]
}

/** Parse, Describe and Sync of the wire protocol: the answer holds parameters and columns; nothing is executed. */
class Describing implements Submittable {
  readonly #text: string
  readonly #found: Description = { parameterTypes: [], columns: [] }
  /** The driver puts its time-out around it. */
  callback: (error: Error | null, found?: Description) => void

  constructor(text: string, callback: Describing['callback']) {
    this.#text = text
    this.callback = callback
  }

  submit(connection: Connection): void {
    connection.once('parameterDescription', this.#readParameters)
    connection.parse({ name: '', text: this.#text, types: [] }, true)
    connection.describe({ type: 'S', name: '' }, true)
    connection.sync()
  }

  readonly #readParameters = ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
    this.#found.parameterTypes = dataTypeIDs
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#found.columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }))
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#found)
  }

  handleError(error: Error, connection: Connection): void {
    connection.off('parameterDescription', this.#readParameters)
    this.callback(error)
  }
}

/** Throws when the text is not valid on the schema. */
export function describeStatement(client: ClientBase, text: string): Promise<Description> {
  return new Promise((resolve, reject) => {
    const end = (error: Error | null, found?: Description) => (found ? resolve(found) : reject(error))
    client.query(new Describing(text, end))
  })
}
