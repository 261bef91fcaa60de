import { describe, expect, it } from 'vitest'
import { parseClientData } from './client-data.ts'

// Guarantee: what our rules read of the client data is what every other reader of the same bytes sees.

const GOOD = { type: 'webauthn.get', challenge: 'abc', origin: 'https://pay.example' }

describe('client data', () => {
  it('is read with crossOrigin and topOrigin absent, as older browsers send it', () => {
    const expected = { challenge: 'abc', origin: 'https://pay.example', crossOrigin: false, topOrigin: undefined }
    expect(parse(JSON.stringify(GOOD))).toEqual(expected)
  })

  it('may have other members, nested ones with the same names, escaped slashes and white space', () => {
    const text = ` {"origin":"https:\\/\\/pay.example", "challenge" : "abc",
      "extra":{"origin":"x","list":[{"origin":"y:"},"{"]},"crossOrigin":true,"topOrigin":"https://shop.example"} `
    expect(parse(text)).toMatchObject({ origin: 'https://pay.example', topOrigin: 'https://shop.example' })
  })

  const hostile: [what: string, text: string | Buffer][] = [
    ['no JSON', '{'],
    ['nothing', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['a number', '1'],
    ['no challenge', '{"origin":"a"}'],
    ['no origin', '{"challenge":"a"}'],
    ['an origin that is a list', '{"challenge":"a","origin":["https://pay.example"]}'],
    ['crossOrigin as text', '{"challenge":"a","origin":"b","crossOrigin":"false"}'],
    ['crossOrigin null', '{"challenge":"a","origin":"b","crossOrigin":null}'],
    ['topOrigin null', '{"challenge":"a","origin":"b","crossOrigin":true,"topOrigin":null}'],
    ['two origins', '{"challenge":"a","origin":"b","origin":"c"}'],
    ['two origins, one escaped', '{"challenge":"a","origin":"b","\\u006frigin":"c"}'],
    ['an empty challenge', '{"challenge":"","origin":"b"}'],
    ['a challenge with U+0000', '{"challenge":"a\\u0000","origin":"b"}'],
    ['a challenge with half of a character', '{"challenge":"\\ud800","origin":"b"}'],
    ['two challenges', '{"challenge":"a","x":{"y":[1]},"origin":"b","challenge":"a"}'],
    ['origin only in the prototype', '{"challenge":"a","__proto__":{"origin":"b"}}'],
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(GOOD))])],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['deep nesting', '['.repeat(4000)],
  ]
  it.each(hostile)('is refused with %s', (_, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'PASSKEY_FAILED' }))
  })
})

function parse(text: string | Buffer) {
  return parseClientData(Buffer.from(text as string))
}
