/** Text of a merchant or a cardholder, in any script. Shown apart, so that its direction turns nothing around it. */
export interface Foreign {
  foreign: string
}

/** An amount as a reader of this locale writes it. Never broken over two lines. */
export interface Amount {
  amount: string
}

/** What is read as one: where a line has room for it, it is not begun on another one. */
export interface Together {
  together: readonly Piece[]
}

export type Piece = string | Foreign | Amount | Together
/** Words with other people's words in them. */
export type Phrase = string | readonly Piece[]

export const foreign = (text: string): Foreign => ({ foreign: text })

/** Where no element can stand, such as the title of a tab: isolated by characters that are not seen. */
export function plainText(phrase: Phrase): string {
  if (typeof phrase === 'string') return phrase
  return phrase
    .map((piece) => {
      if (typeof piece === 'string') return piece
      if ('together' in piece) return plainText(piece.together)
      return `\u2068${'foreign' in piece ? piece.foreign : piece.amount}\u2069`
    })
    .join('')
}
