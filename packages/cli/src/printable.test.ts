// Guarantee: what others wrote commands no operator's terminal, hides nothing there, and begins no line.
import { expect, test } from 'vitest'
import { printable, printableLine } from './printable.ts'

test.each([
  ['the title of the window', '\u001b]0;x\u0007', '\\u001b]0;x\\u0007'],
  ['a command in eight bits', '\u009b2J', '\\u009b2J'],
  ['back to the start of the line', 'paid\rfree', 'paid\\u000dfree'],
  ['text that is turned around', 'a\u202eb', 'a\\u202eb'],
  ['a sign outside of the first plane', '\u{e0001}', '\\udb40\\udc01'],
  ['a line of its own', '\u2028x', '\\u2028x'],
])('%s is spelt', (_name, text, shown) => {
  expect([printable(text), printableLine(text)]).toEqual([shown, shown])
})

test('line ends are ours where a text may have several', () => {
  expect(printable('one\ntwo')).toBe('one\ntwo')
  expect(printableLine('one\ntwo')).toBe('one\\u000atwo')
})

test('JSON says the same as before, and what can be seen stays', () => {
  const value = { name: 'Té – 茶 😀\u200d', order: '\u009b1m\u202e\u{e0001}\u007f', lines: 'a\nb' }
  const shown = printable(JSON.stringify(value, null, 2))
  expect(JSON.parse(shown)).toEqual(value)
  expect(shown).not.toMatch(/[\u007f-\u009f\u202e]/)
  expect(printable('Té – 茶 😀')).toBe('Té – 茶 😀')
})
