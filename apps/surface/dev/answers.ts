/** A DEVELOPMENT TOOL: what the mock answers with. */
import { randomBytes } from 'node:crypto'

export interface Answer {
  status: number
  body: unknown
  headers?: Record<string, string>
}

interface Refused {
  headers?: Record<string, string>
  details?: Record<string, string>
}

export const refusal = (
  status: number,
  code: string,
  message: string,
  { headers = {}, details }: Refused = {},
): Answer => ({
  status,
  body: { error: details === undefined ? { code, message } : { code, message, details } },
  headers,
})

export const newId = () => randomBytes(16).toString('base64url')
