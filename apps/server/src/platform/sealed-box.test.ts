import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openBox, sealBox } from './sealed-box.ts'

// Guarantee: a box opens with its key and its context, whole and unchanged, and in no other way.

const key = randomBytes(32)
const context = Buffer.from('one')
const plaintext = Buffer.from('a text')
const box = sealBox(key, plaintext, context)

test('gives back what was sealed, and never seals alike twice', () => {
  expect(openBox(key, box, context)).toEqual(plaintext)
  expect(sealBox(key, plaintext, context)).not.toEqual(box)
  expect(box.includes(plaintext)).toBe(false)
})

test('an empty text has a box too', () => {
  expect(openBox(key, sealBox(key, Buffer.alloc(0), context), context)).toHaveLength(0)
})

describe('refuses', () => {
  test('another key and another context', () => {
    expect(() => openBox(randomBytes(32), box, context)).toThrow()
    expect(() => openBox(key, box, Buffer.from('two'))).toThrow()
  })

  test('every changed byte and every length but its own', () => {
    for (let at = 0; at < box.length; at += 1) {
      const changed = Buffer.from(box)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(() => openBox(key, changed, context)).toThrow()
      expect(() => openBox(key, box.subarray(0, at), context)).toThrow()
    }
    expect(() => openBox(key, Buffer.concat([box, Buffer.alloc(1)]), context)).toThrow()
  })
})
