import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curl, LINES } from './curl.ts'

const BODY = { name: "O'Neill $(id) `id` \\", deep: { list: ['"'] } }

/** What a shell makes of a line: the arguments that the program would get. */
function argumentsOf(line: string): string[] {
  const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }; KEY=sk; API=http://api\n${line}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

test('a shell reads the body as it is, whatever stands in it', () => {
  const given = argumentsOf(curl('http://localhost:4000', { path: '/v1/x', key: 'once', body: BODY }))
  expect(JSON.parse(given.at(-1) ?? '')).toEqual(BODY)
  expect(given).toContain('Authorization: Bearer sk')
  expect(given).toContain('Idempotency-Key: once')
  expect(given).toContain('http://localhost:4000/v1/x')
})

test('without an address of the API the line asks for it', () => {
  expect(argumentsOf(LINES.session(undefined))).toContain('http://api/v1/sessions')
})
