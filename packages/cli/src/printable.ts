/** Commands to a terminal (U+009B is one, as ESC [ is), and what is not seen or turns the text around it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const UNSEEN_BUT_LINE_ENDS = /[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/gu

/**
 * Text as it may be written to the terminal of an operator, who reads names out of other people's files and rows there.
 * What is not seen is spelt as in JSON, so that JSON says the same as before.
 */
export function printable(text: string): string {
  return text.replace(UNSEEN_BUT_LINE_ENDS, spelt)
}

/** The same for a part of a line: a line end in it would begin a line that reads like one of ours. */
export function printableLine(text: string): string {
  return text.replace(UNSEEN, spelt)
}

function spelt(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at).toString(16).padStart(4, '0'))
  return units.map((unit) => `\\u${unit}`).join('')
}
