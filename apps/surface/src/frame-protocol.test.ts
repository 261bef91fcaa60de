import { FRAME_PROTOCOL, type FrameMessage } from '@mintmark/contract/frame'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFrameGate, frameMessage, originAllowed, parseParentMessage } from './frame-protocol.ts'

// Guarantee: only the window that embeds the page, from one registered origin, is ever heard or gets a message.

const SHOP = 'https://shop.example'
const parent = { name: 'the embedding window' }
const hello = { protocol: FRAME_PROTOCOL, type: 'hello' }
const cancel = { protocol: FRAME_PROTOCOL, type: 'cancel' }

describe('originAllowed', () => {
  it.each([
    [SHOP, [SHOP]],
    ['http://localhost:3000', ['http://localhost:*']],
    ['http://localhost', ['http://localhost:*']],
    ['https://shop.example:8443', [SHOP, 'https://shop.example:8443']],
  ])('allows %s by %j', (origin, allowed) => {
    expect(originAllowed(origin, allowed)).toBe(true)
  })

  it.each([
    ['null', ['null']],
    ['', ['']],
    ['*', ['*']],
    [SHOP, ['*']],
    [SHOP, ['https://*']],
    [SHOP, []],
    ['http://shop.example', [SHOP]],
    ['https://shop.example.evil.test', [SHOP]],
    ['https://evil.test#https://shop.example', [SHOP]],
    ['https://shop.example:8443', [SHOP]],
    ['https://shop.example/', [SHOP]],
    ['https://localhost:3000', ['http://localhost:*']],
    ['http://localhost.evil.test:3000', ['http://localhost:*']],
    ['http://user@localhost:3000', ['http://localhost:*']],
    ['http://localhost:3000:80', ['http://localhost:*']],
    ['file://', ['file://']],
    ['javascript:alert(1)', ['javascript:alert(1)']],
  ])('refuses %s by %j', (origin, allowed) => {
    expect(originAllowed(origin, allowed)).toBe(false)
  })

  it('never throws and allows nothing that is not listed', () => {
    fc.assert(fc.property(fc.string(), (origin) => originAllowed(origin, [SHOP]) === (origin === SHOP)))
  })
})

describe('parseParentMessage', () => {
  it('takes the messages of the protocol', () => {
    expect(parseParentMessage(hello)).toEqual(hello)
    expect(parseParentMessage(cancel)).toEqual(cancel)
  })

  it.each([
    [null],
    [undefined],
    ['hello'],
    [JSON.stringify(hello)],
    [[FRAME_PROTOCOL, 'hello']],
    [{}],
    [{ type: 'hello' }],
    [{ protocol: 'mintmark.frame.2', type: 'hello' }],
    [{ protocol: FRAME_PROTOCOL, type: 'approve' }],
    [{ protocol: FRAME_PROTOCOL, type: 'constructor' }],
    [{ protocol: FRAME_PROTOCOL, type: ['hello'] }],
    [{ ...hello, session_id: 'more than the protocol names' }],
    [Object.create(hello)],
    [new Map([['protocol', FRAME_PROTOCOL]])],
  ])('drops %j', (data) => {
    expect(parseParentMessage(data)).toBeNull()
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.anything({ withNullPrototype: true }), (data) => parseParentMessage(data) === null))
  })
})

describe('createFrameGate', () => {
  const gateFor = (...origins: string[]) => createFrameGate(parent, origins)

  it('pins the first allowed origin that says hello', () => {
    const gate = gateFor(SHOP, 'https://pay.example')
    expect(gate.pinned()).toBeNull()
    expect(gate.accept({ source: parent, origin: SHOP, data: hello })).toEqual(hello)
    expect(gate.pinned()).toBe(SHOP)
    expect(gate.accept({ source: parent, origin: 'https://pay.example', data: hello })).toBeNull()
    expect(gate.pinned()).toBe(SHOP)
    expect(gate.accept({ source: parent, origin: SHOP, data: cancel })).toEqual(cancel)
  })

  it('hears nothing but hello before an origin is pinned', () => {
    const gate = gateFor(SHOP)
    expect(gate.accept({ source: parent, origin: SHOP, data: cancel })).toBeNull()
    expect(gate.pinned()).toBeNull()
  })

  it('drops and counts other windows, other origins, null origins and malformed messages', () => {
    const gate = gateFor(SHOP)
    gate.accept({ source: { name: 'another frame' }, origin: SHOP, data: hello })
    gate.accept({ source: null, origin: SHOP, data: hello })
    gate.accept({ source: parent, origin: 'https://evil.test', data: hello })
    gate.accept({ source: parent, origin: 'null', data: hello })
    gate.accept({ source: parent, origin: SHOP, data: { ...hello, extra: 1 } })
    expect(gate.pinned()).toBeNull()
    expect(gate.dropped()).toBe(5)
  })

  it('a missing source never counts as the parent', () => {
    expect(createFrameGate(null, [SHOP]).accept({ source: null, origin: SHOP, data: hello })).toBeNull()
    expect(createFrameGate(undefined, [SHOP]).accept({ source: undefined, origin: SHOP, data: hello })).toBeNull()
  })

  it('a list changed later changes nothing', () => {
    const allowed = [SHOP]
    const gate = createFrameGate(parent, allowed)
    allowed.push('https://evil.test')
    expect(gate.accept({ source: parent, origin: 'https://evil.test', data: hello })).toBeNull()
  })
})

describe('frameMessage', () => {
  it('lets only the fields of the protocol out', () => {
    const card = { card_id: 'c', card_last4: '4242', card_brand: 'visa', card_exp_month: 9, card_exp_year: 2031 }
    const message: FrameMessage = frameMessage({
      type: 'card_collected',
      card: { ...card, card_number: '4242424242424242', cvv: '123' } as typeof card,
    })
    expect(message).toEqual({ protocol: FRAME_PROTOCOL, type: 'card_collected', card })
    expect(JSON.stringify(message)).not.toMatch(/4242424242424242|cvv/)
  })
})
