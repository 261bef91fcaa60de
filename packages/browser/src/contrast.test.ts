// Guarantee: the package judges a colour as the service judges a merchant's, though it does not import its rule.
import * as contract from '@mintmark/contract/colours'
import { expect, test } from 'vitest'
import * as own from './contrast.ts'

test('is that of the contract', () => {
  expect({ ...own, contrastOf: 0 }).toEqual({ ...contract, contrastOf: 0 })
  const parts = ['00', '0a', '0b', '7f', 'FF']
  const colours = parts.flatMap((red) => parts.flatMap((green) => parts.map((blue) => `#${red}${green}${blue}`)))
  for (const ground of Object.values(contract.GROUNDS)) {
    const contrasts = colours.map((colour) => own.contrastOf(colour, ground))
    expect(contrasts).toEqual(colours.map((colour) => contract.contrastOf(colour, ground)))
  }
})
