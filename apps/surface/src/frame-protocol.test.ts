import { FRAME_PROTOCOL, type FrameMessage } from '@mintmark/contract/frame'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFrameGate, frameMessage, type Outgoing, originAllowed, parseParentMessage } from './frame-protocol.ts'

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
    const colours = { accent: '#0b6b55', accent_dark: '#58d3b2', radius: 32 }
    for (const appearance of [{ scheme: 'dark' }, { summary: 'compact' }, { summary: 'full', scheme: 'auto' }, colours])
      expect(parseParentMessage({ ...hello, ...appearance })).toEqual({ ...hello, ...appearance })
  })

  it.each([
    ['scheme', ['black', null, ['dark'], 1]],
    ['summary', ['none', null, ['compact'], true]],
    ['accent', ['#ffcc00', '#58d3b2', 'red', '#0b6b55;x:y', 'url(//evil.test)', null, ['#0b6b55'], 0]],
    ['accent_dark', ['#0b6b55', 'white', {}]],
    ['radius', [-1, 33, 1.5, '8', Number.NaN, null]],
  ])('names the %s that it does not wear, and takes nothing over of what stands beside it', (field, values) => {
    for (const value of values) {
      const heard = parseParentMessage({ ...hello, summary: 'compact', [field]: value })
      expect([value, heard]).toEqual([value, { type: 'refused', field }])
    }
  })

  it('takes no appearance that it does not know, and none but with a hello', () => {
    expect(parseParentMessage({ ...hello, constructor: 'compact' })).toBeNull()
    expect(parseParentMessage({ ...cancel, scheme: 'dark' })).toBeNull()
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

  it('says what is wrong with a hello to a registered origin alone, and pins no page by it', () => {
    const gate = gateFor(SHOP)
    const wrong = { ...hello, radius: 99 }
    expect(gate.accept({ source: parent, origin: SHOP, data: wrong })).toEqual({ type: 'refused', field: 'radius' })
    expect(gate.accept({ source: parent, origin: 'https://evil.test', data: wrong })).toBeNull()
    expect(gate.accept({ source: { name: 'another' }, origin: SHOP, data: wrong })).toBeNull()
    expect(gate.pinned()).toBeNull()
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

  it.each<Outgoing>([
    { type: 'loading' },
    { type: 'asking' },
    { type: 'escape' },
    { type: 'ready', session_id: 's' },
    { type: 'cancelled', session_id: 's' },
    { type: 'change', step: 'card', complete: false, brand: null },
    { type: 'completed', session_id: 's', outcome: 'failed', error_code: null },
    { type: 'error', code: 'c', message: 'm', retryable: true },
    { type: 'resize', height: 1 },
  ])('lets all of $type out, and nothing beside it', (message) => {
    const more = { ...message, session_token: 'x', card_number: '4242424242424242' }
    expect(frameMessage(more)).toEqual({ protocol: FRAME_PROTOCOL, ...message })
  })
})
