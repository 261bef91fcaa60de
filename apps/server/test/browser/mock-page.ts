import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createMockServer } from '../../../surface/dev/mock-server.ts'

/** The page before a server that plays its scenarios. `url` is its origin. */
export interface MockPage {
  url: string
  close(): void
}

export async function startMockPage(): Promise<MockPage> {
  const server = createMockServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
