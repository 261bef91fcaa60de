/** Letters that no normalisation takes apart, and the marks keyboards and editors write for plain ones. */
const PLAIN_FORMS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' },
  ...{ ẞ: 'SS', Æ: 'AE', Œ: 'OE', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'TH' },
  ...{ '‘': "'", '’': "'", '‐': '-', '–': '-', '—': '-', '⁄': '/' },
}

/**
 * What a card network, and no other party, is told a merchant is called: the name in the characters networks carry; where
 * nothing is left of it, the name the merchant gives for statements, or else the host of its address.
 */
export function networkName(merchant: { name: string; statement_name?: string | undefined; url: string }): string {
  return networkSafeName(merchant.name) || merchant.statement_name || new URL(merchant.url).hostname
}

/**
 * A merchant's name in the characters card networks carry: Latin letters without accents, digits, space and
 * `.,'&()/-`. Empty when no letter or digit is left.
 */
export function networkSafeName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[^\p{ASCII}\p{M}]/gu, (letter) => PLAIN_FORMS[letter] ?? letter)
    .replace(/[^A-Za-z0-9 .,'&()/-]+/g, (run) => (/^\p{M}+$/u.test(run) ? '' : ' '))
    .replace(/\s+/g, ' ')
    .trim()
  return /[A-Za-z0-9]/.test(plain) ? plain : ''
}
