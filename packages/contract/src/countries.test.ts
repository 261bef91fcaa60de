// Guarantee: the countries of the contract are those of ISO 3166-1, no more and no fewer.
import { iso31661 } from 'iso-3166'
import { expect, test } from 'vitest'
import { COUNTRIES } from './countries.ts'

test('the list is that of ISO 3166-1, in order', () => {
  const assigned = iso31661.filter(({ state }) => state === 'assigned').map(({ alpha2 }) => alpha2)
  expect(COUNTRIES).toEqual(assigned.sort())
})
