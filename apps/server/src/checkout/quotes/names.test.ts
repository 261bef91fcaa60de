import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId } from '../../platform/ids.ts'
import { nameOf, readName } from './names.ts'

// Guarantee: a name of ours leads back to one good of one shop, and nothing else is such a name.

const shopId = newId('shop')

test('every id of a shop that is short enough has a name that leads back to it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), (foreignId) => {
      fc.pre(foreignId.isWellFormed())
      const name = nameOf('variant', { shopId, foreignId })
      expect(name).toMatch(/^var_[A-Za-z0-9._~-]{1,251}$/)
      expect(readName('variant', name ?? '')).toEqual({ shopId, foreignId })
      expect(readName('product', name ?? '')).toBeUndefined()
    }),
  )
})

test.each([
  ['mug-blue_2', '.mug-blue_2'],
  ['gid://shop/1', '~Z2lkOi8vc2hvcC8x'],
  ['ü', '~w7w'],
])('%s is %s', (foreignId, end) => {
  expect(nameOf('product', { shopId, foreignId })).toBe(`prod_${shopId.slice(5)}${end}`)
})

test('an id that a path cannot hold has no name', () => {
  expect(nameOf('product', { shopId, foreignId: 'x'.repeat(200) })).toHaveLength(232)
  expect(nameOf('product', { shopId, foreignId: '/'.repeat(200) })).toBeUndefined()
})

test('other spellings are no names', () => {
  const shop = shopId.slice(5)
  // The same bytes as `.mug`; with a bit that is not used; not UTF-8; a mark and no id, twice; nothing.
  const wrong = [`~${Buffer.from('mug').toString('base64url')}`, '~w7x', '~_w', '.', '~', '']
  for (const end of wrong) expect(readName('product', `prod_${shop}${end}`), end).toBeUndefined()
  for (const text of [
    '',
    'prod_',
    'prod_short.mug',
    `prod_${shop.toUpperCase()}.mug`,
    `prod_${shop}.${'x'.repeat(300)}`,
  ]) {
    expect(readName('product', text), text).toBeUndefined()
  }
})
