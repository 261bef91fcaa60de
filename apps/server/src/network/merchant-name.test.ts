// Guarantee: what the cardholder approves names the merchant in characters that every network carries.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../test/code-point.ts'
import { foldWhiteSpace } from '../platform/text.ts'
import { networkName, networkSafeName } from './merchant-name.ts'

describe('what the network is told', () => {
  const url = 'https://www.kissa.example/shop'
  test.each([
    ['the safe form of the name', { name: 'Café Olé', url }, 'Cafe Ole'],
    ['also beside a name for statements', { name: 'Café Olé', statement_name: 'OLE', url }, 'Cafe Ole'],
    ['the name for statements when nothing is left', { name: '喫茶店', statement_name: 'KISSATEN', url }, 'KISSATEN'],
    ['the host when there is none', { name: '喫茶店', url }, 'www.kissa.example'],
    ['an international host in ASCII', { name: '!!!', url: 'https://bücher.example' }, 'xn--bcher-kva.example'],
  ])('%s', (_what, merchant, told) => expect(networkName(merchant)).toBe(told))
})

describe('networkSafeName', () => {
  test.each([
    ['Tea House', 'Tea House'],
    ['  Tea \t House  ', 'Tea House'],
    ['Café Olé', 'Cafe Ole'],
    ['Cafe\u0301 Ole\u0301', 'Cafe Ole'],
    ['Ångström & Söhne (Köln)', 'Angstrom & Sohne (Koln)'],
    ['Smørrebrød, Łódź, Straße, Œuvre', 'Smorrebrod, Lodz, Strasse, Oeuvre'.replace('Oeu', 'OEu')],
    ['Ann’s – “Best” Tea', "Ann's - Best Tea"],
    ["A.B,C'D&E(F)G/H-I", "A.B,C'D&E(F)G/H-I"],
    ['Tea™ №5 ½', 'TeaTM No5 1/2'],
    ['ﬁne ＴＥＡ １２', 'fine TEA 12'],
    ['Tea 🫖 House', 'Tea House'],
    ['日本 Tea', 'Tea'],
    ['Tea\u200dHouse', 'Tea House'],
    ['Tea\u202eesuoH', 'Tea esuoH'],
    ['<b>Tea</b>; drop "x"', 'b Tea /b drop x'],
    ['A*B_C#D@E', 'A B C D E'],
    ['日本', ''],
    ['Чай', ''],
    ['🫖', ''],
    ['---', ''],
    ["&('", ''],
    ['   ', ''],
    ['', ''],
    ['٣', ''],
    ['7', '7'],
  ])('%j → %j', (name, safe) => expect(networkSafeName(name)).toBe(safe))

  test('property: only network characters, no spare space, a letter or digit or nothing; twice is once', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 60 }), (name) => {
        const safe = networkSafeName(name)
        expect(safe).toMatch(/^(?:|[A-Za-z0-9.,'&()/-]+(?: [A-Za-z0-9.,'&()/-]+)*)$/)
        expect(safe === '' || /[A-Za-z0-9]/.test(safe)).toBe(true)
        expect(networkSafeName(safe)).toBe(safe)
      }),
    )
  })

  test('property: of a name as it is signed, what is left is the same as of the name as it came', () => {
    const unit = fc.constantFrom(...'ABé\u0301Åﬁ½Ｔß–’ \u00a0\t\u0085\u3000日🫖')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), (name) => {
        expect(networkSafeName(foldWhiteSpace(name).normalize('NFC'))).toBe(networkSafeName(name))
      }),
    )
  })

  test('property: plain names stay as they are', () => {
    const word = fc.string({ unit: fc.constantFrom(..."ABCxyz019.,'&()/-"), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const name = `A ${words.join(' ')}`
        expect(networkSafeName(name)).toBe(name)
      }),
    )
  })
})
