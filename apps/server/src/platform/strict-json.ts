import { isUtf8 } from 'node:buffer'
import { fieldErrors } from './errors.ts'
import { findJsonProblem } from './json-scanner.ts'

/** The value of a request body, or undefined when there is none. Throws VAL_2001 naming the place. */
export function parseStrictJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw fieldErrors({ body: 'must not start with a byte order mark' })
  }
  if (!isUtf8(bytes)) throw fieldErrors({ body: 'is not valid UTF-8' })
  const text = bytes.toString('utf8')
  const problem = findJsonProblem(text)
  if (problem !== null) throw fieldErrors({ [problem.path]: problem.message })
  try {
    return JSON.parse(text)
  } catch {
    throw fieldErrors({ body: 'is not valid JSON' })
  }
}
