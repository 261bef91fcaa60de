// Guarantee: a dialog is asked for what the library asks it for, and answers what the library answers, of all that the
// service reads; and the next dialog takes back the one before.
import * as library from '@simplewebauthn/browser'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as page from './passkey-dialogs.ts'

const bytes = (...values: number[]) => new Uint8Array(values).buffer
const ASKED = { challenge: '-_8AgP8', timeout: 60_000 }
const CREATION = {
  ...ASKED,
  rp: { id: 'localhost', name: 'Northpay' },
  user: { id: 'AQIDBA', name: 'a•••@example', displayName: 'a•••@example' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  excludeCredentials: [{ type: 'public-key', id: 'CQgH', transports: ['internal'] }],
} as const
const FOUND = { id: 'CQgH', rawId: bytes(9, 8, 7), type: 'public-key', authenticatorAttachment: null }
const MADE = {
  ...FOUND,
  response: {
    attestationObject: bytes(250, 251, 252, 253),
    clientDataJSON: bytes(123, 125),
    getTransports: () => ['internal', 'hybrid'],
  },
  getClientExtensionResults: () => ({}),
}
const used = (userHandle: ArrayBuffer | null) => ({
  ...FOUND,
  response: { authenticatorData: bytes(1), clientDataJSON: bytes(62, 63, 255), signature: bytes(255, 254), userHandle },
  getClientExtensionResults: () => ({}),
})

type Asking = { publicKey: object; signal: AbortSignal }
const create = vi.fn<(asking: Asking) => Promise<unknown>>(async () => MADE)
const get = vi.fn<(asking: Asking) => Promise<unknown>>()

beforeEach(() => {
  vi.stubGlobal('PublicKeyCredential', class {})
  vi.stubGlobal('navigator', { credentials: { create, get } })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.clearAllMocks()
})

/** As it is sent, without what the service does not read. */
function sent(answer: object): unknown {
  const { id, rawId, type, response } = JSON.parse(JSON.stringify(answer))
  const { publicKeyAlgorithm: _, ...read } = response
  return { id, rawId, type, response: read }
}
const asked = (dialog: typeof create) =>
  dialog.mock.calls.map(([{ publicKey }]) =>
    JSON.parse(JSON.stringify(publicKey, (_, value) => bytesIn(value) ?? value)),
  )

/** A view and what it looks at are the same to a browser. */
function bytesIn(value: unknown): number[] | undefined {
  if (ArrayBuffer.isView(value)) return bytesIn(value.buffer)
  return value instanceof ArrayBuffer ? [...new Uint8Array(value)] : undefined
}

test('a passkey is made', async () => {
  const optionsJSON = structuredClone(CREATION) as unknown as library.PublicKeyCredentialCreationOptionsJSON
  const [ours, theirs] = [
    await page.startRegistration({ optionsJSON }),
    await library.startRegistration({ optionsJSON }),
  ]
  expect(sent(ours)).toEqual(sent(theirs))
  expect(asked(create)[0]).toEqual(asked(create)[1])
})

test.each([
  ['of these', [{ type: 'public-key', id: 'CQgH' }], bytes(4, 3)],
  ['of any', [], null],
  ['of any that are there', undefined, null],
] as const)('one %s is used', async (_, allowCredentials, userHandle) => {
  get.mockImplementation(async () => used(userHandle))
  const optionsJSON = {
    ...ASKED,
    rpId: 'localhost',
    ...(allowCredentials && { allowCredentials: [...allowCredentials] }),
  }
  const [ours, theirs] = [
    await page.startAuthentication({ optionsJSON }),
    await library.startAuthentication({ optionsJSON }),
  ]
  expect(sent(ours)).toEqual(sent(theirs))
  expect(asked(get)[0]).toEqual(asked(get)[1])
})

test('what the browser refuses comes as it is, and the next dialog takes back the one before', async () => {
  get.mockRejectedValueOnce(new DOMException('Dismissed', 'NotAllowedError'))
  await expect(page.startAuthentication({ optionsJSON: ASKED })).rejects.toMatchObject({ name: 'NotAllowedError' })
  get.mockImplementation(async () => used(null))
  await page.startAuthentication({ optionsJSON: ASKED })
  const [before, after] = get.mock.calls.map(([{ signal }]) => signal.aborted)
  expect([before, after]).toEqual([true, false])
})

test('a browser without them is one that cannot', () => {
  expect(page.supportsPasskeys()).toBe(true)
  vi.stubGlobal('PublicKeyCredential', undefined)
  expect(page.supportsPasskeys()).toBe(false)
})
