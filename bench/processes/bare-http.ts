import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveTasks } from './tasks.ts'

/** Responds to every request from now on with this body, of the same size as the service's. */
export interface BareHttpTask {
  readonly responseBody: string
}

let responseBody = ''
let listening: Promise<Server> | undefined

/**
 * The ceiling of HTTP: Node's own server reads the request's body, parses it, and responds. No framework, no check, no
 * database.
 */
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString('utf8'))
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(responseBody),
    })
    response.end(responseBody)
  })
})

serveTasks<BareHttpTask, { url: string }>(async (task) => {
  responseBody = task.responseBody
  listening ??= new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
  const { port } = (await listening).address() as AddressInfo
  return { url: `http://127.0.0.1:${port}` }
})
