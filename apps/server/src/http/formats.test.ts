import { expect, test } from 'vitest'
import { FORMATS } from './formats.ts'

const cases: Record<string, { good: string[]; bad: string[] }> = {
  email: {
    good: [
      'a@b.co',
      'first.last+tag@mail.example.com',
      "o'hara@x-y.example",
      'a@xn--bcher-kva.example',
      'zoë@bücher.example',
      'δοκιμή@παράδειγμα.ελ',
      '用户@例子.公司',
      'ｱ@b.co',
      'a@b.c',
      '"a"@b.co',
      '"first last, the third"@b.co',
      '"a@b"@b.co',
      '"a\\"b"@b.co',
      '"山田 太郎"@例子.公司',
    ],
    bad: [
      '',
      'a',
      '@b.co',
      'a@',
      'a@b',
      'a@@b.co',
      'a b@c.co',
      '.a@b.co',
      'a..b@c.co',
      'a@-b.co',
      'a@b.co\n',
      'a@b..co',
      '""@b.co',
      '"a"b"@b.co',
      '"a\\"@b.co',
      '"a\r\nBcc: x"@b.co',
      '"a\\\nb"@b.co',
      '"a<b"@b.co',
      'a<b@b.co',
      'a>@b.co',
      `${'a'.repeat(65)}@b.co`,
      `${'é'.repeat(33)}@b.co`,
      'a\u202eb@c.co',
      'a\u0000@b.co',
      'a\u00a0b@c.co',
      'a\u200bb@c.co',
      'a@b c.co',
      'a@b\u202e.co',
      'a@%62.co',
      'a@[127.0.0.1]',
      'a@127.0.0.1',
      `a@${'ü'.repeat(64)}.co`,
    ],
  },
  'https-url': {
    good: [
      'https://shop.example',
      'https://shop.example:8443/a?b=c#d',
      'HTTPS://shop.example/%20',
      'https://[::1]/',
      `https://${'a.'.repeat(126)}a:65535/`,
      `https://shop.example/${'a'.repeat(1000)}`,
    ],
    bad: [
      'http://shop.example',
      'https:shop.example',
      'https:///x',
      'https://',
      'https://u:p@shop.example',
      'https://a b',
      'https://a\\b',
      ' https://a.b',
      'https://a.b\n',
      'https://a\u0000b',
      'javascript:alert(1)',
      'https://a.b/\u202e',
      // No name is so long, and to read one of other letters takes the square of its length.
      `https://${'a.'.repeat(130)}a/`,
      `https://${'漢'.repeat(5000)}.example/`,
    ],
  },
  uri: { good: ['https://a.b', 'mailto:a@b.co', 'app+x://y'], bad: ['', '/a', 'a.b', 'https://a b', '//a.b'] },
  date: {
    good: ['2026-01-31', '2024-02-29', '0099-12-31'],
    bad: [
      '',
      '2026-02-30',
      '2023-02-29',
      '2026-1-31',
      '2026-01-31 ',
      '2026-01-31T12:00:00Z',
      '٢٠٢٦-01-31',
      '2026-13-01',
    ],
  },
  'date-time': {
    good: ['2026-01-31T12:00:00Z', '2024-02-29T23:59:59.999+14:00', '2026-01-31t12:00:00z', '0099-12-31T00:00:00Z'],
    bad: [
      '2026-01-31',
      '2026-02-30T00:00:00Z',
      '2025-02-29T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-00-10T00:00:00Z',
      '2026-01-31T24:00:00Z',
      '2026-01-31T12:00:00',
      '2026-01-31 12:00:00Z',
      '2026-01-31T12:00:60Z',
      '2026-01-31T12:00:00+24:00',
      '٢٠٢٦-01-31T12:00:00Z',
    ],
  },
  uuid: {
    good: ['0190a1b2-0000-7000-8000-00000000000A'],
    bad: ['', '0190a1b2', '{0190a1b2-0000-7000-8000-00000000000a}'],
  },
  'language-tag': {
    good: ['de', 'de-AT', 'zh-Hant-TW', 'pt-BR', 'EN-us', 'de-DE-u-co-phonebk'],
    bad: ['', 'de_AT', 'd', 'de-', '-de', 'de-1', 'de AT', '*'],
  },
  'free-text': {
    good: ['', 'Zoë & Söhne', 'a\nb', 'a\r\n\tb', 'a\u0085b', 'a\u2028b', 'a\u00a0b', ' \n ', '-'],
    bad: [
      '\u200d',
      '\u00ad',
      '\u2800',
      '\u0301',
      '\ue000',
      'a\u0000',
      'a\u0007b',
      '\u007f',
      '\u202eevil',
      '\u2066x',
      'a\u001bb',
      'a\u0080',
    ],
  },
  name: {
    good: ['', ' \n ', 'Zoë & Söhne', '茶', '🍵', '7', 'Tee\u00adhaus', 'a\nb'],
    bad: [
      '\ufeffShop',
      'Shop\ufeff',
      '\u200d',
      '\u00ad \u00ad',
      '\u2800',
      '\u0301',
      '\ue000',
      '\u0378',
      '---',
      'a\u0000',
      '\u202eevil',
    ],
  },
  'clean-text': {
    good: [
      '',
      'Zoë & Söhne',
      'مقهى',
      '👩‍👩‍👧',
      '🏴󠁧󠁢󠁳󠁣󠁴󠁿 Tea',
      'Tee\u00adhaus',
      'a\u00a0b',
      ' a ',
      'नि\u093c\u094d',
      `e${'\u0301'.repeat(4)}`,
    ],
    bad: [
      'a\u0000',
      'a\nb',
      'a\tb',
      '\u007f',
      'a\u0085',
      '\u202eevil',
      'a\u2028b',
      '\u2066x',
      'a\u200fb',
      '\u061ca',
      'a\u200bb',
      'a\u2060b',
      'a\u2063b',
      'a\u206ab',
      '\u3164',
      '\uffa0',
      'a\u115fb',
      'a\ufeffb',
      'a\ufff9b',
      'a\u{e0061}b',
      `e${'\u0301'.repeat(9)}`,
    ],
  },
}

test.each(Object.keys(FORMATS))('%s', (name) => {
  const { test: fits = () => false } = FORMATS[name] ?? {}
  const { good = [], bad = [] } = cases[name] ?? {}
  expect(good.filter((text) => !fits(text))).toEqual([])
  expect(bad.filter((text) => fits(text))).toEqual([])
  expect(good.length + bad.length).toBeGreaterThan(2)
})

test('no text takes long to judge', () => {
  // Quadratic work would take minutes, and a test has seconds.
  for (const piece of ['a', 'a.', 'a-', '1', '@', 'https://', '.a', '-', '\u202e', '\u{e0041}']) {
    const text = piece.repeat(262_144 / piece.length)
    for (const { test: fits } of Object.values(FORMATS))
      for (const whole of [text, `a@${text}`, `https://${text}`, `\u{1f3f4}${text}`]) fits(whole)
  }
})
