// Guarantee: the package refuses the colours that the payment page refuses, and no other, though neither imports the
// other's rule.
import { canBeRead, accentProblem as contractProblem } from '@mintmark/contract/colours'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accentProblem } from './colours.ts'

const SCHEMES = ['light', 'dark'] as const
const colours = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const ratios = (text: string | null) => (text?.match(/[\d.]+:1/g) ?? []).map(Number.parseFloat).sort()

test.each(SCHEMES)('the %s page can wear what the package takes', (scheme) => {
  fc.assert(
    fc.property(colours, (colour) => {
      expect([colour, accentProblem(colour, scheme) === null]).toEqual([colour, canBeRead(colour, scheme)])
      expect(ratios(accentProblem(colour, scheme))).toEqual(ratios(contractProblem(colour, scheme)))
    }),
  )
  // The last that can be read, and the first that cannot.
  const edge = { light: ['#767676', '#777777'], dark: ['#828282', '#818181'] }[scheme]
  expect(edge.map((colour) => accentProblem(colour, scheme) === null)).toEqual([true, false])
  expect(edge.map((colour) => canBeRead(colour, scheme))).toEqual([true, false])
})

test('says what it would be on both pages, and no other text is a colour', () => {
  expect(accentProblem('#ffcc00', 'light')).toBe(
    'is 1.51:1 against the light page, 11.47:1 against the dark one: the light one needs 4.5:1',
  )
  for (const text of ['red', '#fff', 'url(x)', '#0b6b55;', '', 7, null, ['#0b6b55']]) {
    expect(accentProblem(text, 'light')).toMatch(/^is a colour like/)
    expect(canBeRead(String(text), 'light')).toBe(String(text) === '#0b6b55')
  }
})
