import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a stand-in answers. */
export interface Reply {
  status: number
  body: unknown
  headers?: Record<string, string>
}

export interface Call {
  method: string
  /** With the query. */
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** What happens to the calls that come next, instead of an answer. */
export type Trouble = Reply | 'cut' | 'silence'

/** A service that stands in for one of another company: a real HTTP server that speaks its protocol. */
export interface StandIn {
  url: string
  /** Every call that came, also those in trouble. */
  calls: Call[]
  /** For so many calls. */
  trouble(what: Trouble, calls?: number): void
  close(): Promise<void>
}

export async function startStandIn(answer: (call: Call) => Reply | Promise<Reply>): Promise<StandIn> {
  const calls: Call[] = []
  let trouble: { what: Trouble; left: number } | undefined
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const call = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
    calls.push(call)
    const now = trouble
    if (now !== undefined && now.left > 0) {
      now.left -= 1
      if (now.what === 'silence') return
      if (now.what === 'cut') return void request.socket.destroy()
      return send(response, now.what)
    }
    send(response, await answer(call))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    trouble(what, count = 1) {
      trouble = { what, left: count }
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** AES-256-GCM as the services do it inside; each makes its own ciphertext of it. */
export function createSafe() {
  const key = randomBytes(32)
  return {
    encrypt(plaintext: Buffer, aad: Buffer): Buffer {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(aad)
      return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
    },
    /** Undefined when it does not open. */
    decrypt(ciphertext: Buffer, aad: Buffer): Buffer | undefined {
      if (ciphertext.length < 28) return undefined
      const decipher = createDecipheriv('aes-256-gcm', key, ciphertext.subarray(0, 12)).setAAD(aad)
      decipher.setAuthTag(ciphertext.subarray(-16))
      try {
        return Buffer.concat([decipher.update(ciphertext.subarray(12, -16)), decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}

/** Strict, as the services are: nothing but base64 of the whole text. */
export function strictBase64(text: unknown): Buffer | undefined {
  if (typeof text !== 'string') return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
