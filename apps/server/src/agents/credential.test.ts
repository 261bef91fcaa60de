// Guarantee: the door knows an agent again by its key and its address, though it signs each request anew; no other key or address passes for it.
import { expect, test } from 'vitest'
import { agentKey } from './credential.ts'

const input = (keyid: string, nonce: string) =>
  `sig=("@method" "@authority");created=1;expires=2;nonce="${nonce}";keyid="${keyid}";tag="agent-payer-auth"`
const shown = (signatureInput: string | undefined, address = '192.0.2.1') =>
  agentKey.shown({ signature: 'sig=:AAAA:', 'signature-input': signatureInput }, address)

test('is the same in each request of a key from one address, and another one from elsewhere', () => {
  const first = shown(input('ag_one', 'a'))
  expect(shown(input('ag_one', 'b'))).toBe(first)
  expect(shown(input('ag_two', 'a'))).not.toBe(first)
  expect(shown(input('ag_one', 'a'), '192.0.2.2')).not.toBe(first)
})

test.each([undefined, '', 'keyid="ag_one"', 'sig=();keyid=ag_one'])(
  'names nobody where no key is named: %s',
  (broken) => {
    expect(shown(broken)).toBe(shown(undefined))
  },
)
