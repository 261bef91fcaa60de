// Guarantee: the page tells networks apart as the common library does, digit by digit, which would be a tenth of the
// page.
import { CARD_BRANDS } from '@mintmark/contract/card-brands'
import { cardNumber } from 'card-validator/dist/card-number.js'
import { describe, expect, it } from 'vitest'
import { isCardNumber, networkOf } from './card-networks.ts'
import { knownBrand } from './card-text.ts'

const OURS = new Set<string>(Object.values(CARD_BRANDS).map(({ libraryName }) => libraryName))

/** Every beginning of up to four digits, and of six where networks meet. */
function beginnings(): Set<string> {
  const all = new Set<string>()
  for (let number = 0; number < 10_000; number += 1) {
    const four = String(number).padStart(4, '0')
    for (let length = 1; length <= 4; length += 1) all.add(four.slice(0, length))
    const meets = /^(?:4936|50[4-9]|6270|6277|6220)/.test(four)
    for (let last = 0; meets && last < 100; last += 7) all.add(four + String(last).padStart(2, '0'))
  }
  return all
}

/** The library's digit by which the number adds up. */
function completed(beginning: string, length: number): string {
  const body = beginning.padEnd(length - 1, '5')
  for (let last = 0; last < 10; last += 1) {
    const number = body + last
    if (cardNumber(number, { luhnValidateUnionPay: true }).isValid) return number
  }
  throw new Error(`No digit completes ${body}.`)
}

describe('networks', () => {
  it('are those that the library finds, in every beginning', () => {
    const different: string[] = []
    let compared = 0
    for (const digits of beginnings()) {
      const { card } = cardNumber(digits)
      // Networks that the contract has no name for are numbers like any other here.
      if (card === null || !OURS.has(card.type)) continue
      compared += 1
      const network = networkOf(digits)
      const same = { brand: knownBrand(card.type), gaps: card.gaps, lengths: card.lengths, codeLength: card.code.size }
      if (JSON.stringify(network) !== JSON.stringify(same))
        different.push(`${digits}: ${network.brand}, not ${card.type}`)
    }
    expect(compared).toBeGreaterThan(2_000)
    expect(different).toEqual([])
  })

  it.each(['4242', '5555', '2221', '3782', '3056', '6011', '6200', '3528', '5018', '6304'])(
    'what begins with %s is right in every length of its network, and wrong with another last digit',
    (beginning) => {
      for (const length of networkOf(beginning).lengths) {
        const number = completed(beginning, length)
        expect(isCardNumber(number), number).toBe(true)
        const wrong = number.slice(0, -1) + ((Number(number.at(-1)) + 1) % 10)
        expect(isCardNumber(wrong), wrong).toBe(cardNumber(wrong).isValid)
      }
    },
  )

  it('a number of another network is taken, because the service may know it', () => {
    const elo = completed('650031', 16)
    const mir = completed('2200', 16)
    expect([elo, mir].map(isCardNumber)).toEqual([true, true])
    expect(networkOf(mir).brand).toBeNull()
  })
})
