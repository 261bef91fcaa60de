// Guarantee: the package and the payment page speak the same protocol, though neither imports the other's.
import { FRAME_PROTOCOL, type FrameMessage, type ParentMessage } from '@mintmark/contract/frame'
import fc from 'fast-check'
import { expect, expectTypeOf, test } from 'vitest'
import { type OwnMessage, type PageMessage, PROTOCOL, readMessage } from './protocol.ts'

type WithoutProtocol<Message> = Message extends unknown ? Omit<Message, 'protocol'> : never
/** `cancelled` is a message of its own. */
type Told = Exclude<WithoutProtocol<FrameMessage>, { type: 'completed' }>

const card = { card_id: 'c', card_last4: '4242', card_brand: null, card_exp_month: 9, card_exp_year: 2031 }
const COMPLETE: Record<PageMessage['type'], Omit<PageMessage, 'type'>> = {
  loading: {},
  ready: { session_id: 's' },
  change: { step: 'card', complete: false, brand: null },
  card_collected: { card },
  completed: { session_id: 's', outcome: 'failed', error_code: null },
  cancelled: { session_id: 's' },
  error: { code: 'c', message: 'm', retryable: true },
  resize: { height: 1 },
  asking: {},
  escape: {},
}

test('is that of the contract', () => {
  expect(PROTOCOL).toBe(FRAME_PROTOCOL)
  expectTypeOf<OwnMessage>().toEqualTypeOf<ParentMessage['type']>()
  expectTypeOf<PageMessage['type']>().toEqualTypeOf<FrameMessage['type']>()
  expectTypeOf<Told>().toExtend<PageMessage>()
})

test.each(Object.entries(COMPLETE))('%s is heard whole, with more than is known, and not with less', (type, fields) => {
  const message = { protocol: PROTOCOL, type, ...fields }
  expect({ ...readMessage(message) }).toEqual(message)
  expect(readMessage({ ...message, later: 1 })).not.toBeNull()
  for (const name of Object.keys(fields).filter((key) => key !== 'error_code')) {
    expect([name, readMessage({ ...message, [name]: undefined })]).toEqual([name, null])
    expect([name, readMessage({ ...message, [name]: { evil: true } })]).toEqual([name, null])
  }
  expect(readMessage({ ...message, protocol: 'mintmark.frame.0' })).toBeNull()
})

test('everything else is not heard, and breaks nothing', () => {
  const data = fc.oneof(
    fc.anything({ withNullPrototype: true }),
    fc.record({ protocol: fc.constant(PROTOCOL), type: fc.string() }),
  )
  fc.assert(
    fc.property(data, (anything) => {
      const heard = readMessage(anything)
      return heard === null || heard.type in COMPLETE
    }),
  )
  for (const type of ['constructor', '__proto__', 'toString'])
    expect(readMessage({ protocol: PROTOCOL, type })).toBeNull()
})
