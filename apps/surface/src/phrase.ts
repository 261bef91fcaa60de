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

/** Letter by letter, in the direction of a card number. */
export interface Code {
  code: string
}

export type Piece = string | Foreign | Amount | Together | Code
/** Words with other people's words in them. */
export type Phrase = string | readonly Piece[]

export const foreign = (text: string): Foreign => ({ foreign: text })

/** The holes of a text: `{merchant} asks` has `merchant`. Only of a text that the compiler knows word for word. */
export type HoleOf<Text extends string> = Text extends `${string}{${infer Hole}}${infer Rest}`
  ? Hole | HoleOf<Rest>
  : never

/** A text with its holes filled: one that is left open does not compile. */
export function filled<Text extends string>(
  text: Text,
  pieces: Readonly<Record<HoleOf<Text>, Piece | Phrase>>,
): readonly Piece[] {
  return text.split(HOLE).flatMap((part, index): readonly Piece[] => {
    // Every other part is the name of a hole.
    const piece = index % 2 === 0 ? part : pieces[part as HoleOf<Text>]
    if (piece === '') return []
    return Array.isArray(piece) ? piece : [piece as Piece]
  })
}
const HOLE = /\{(\w+)\}/

/** The same where all that is filled in is our own. */
export function filledText<Text extends string>(text: Text, words: Readonly<Record<HoleOf<Text>, string>>): string {
  return filled(text, words).join('')
}

/** Where no element can stand, such as the title of a tab: isolated by characters that are not seen. */
export function plainText(phrase: Phrase): string {
  if (typeof phrase === 'string') return phrase
  return phrase
    .map((piece) => {
      if (typeof piece === 'string') return piece
      if ('together' in piece) return plainText(piece.together)
      return `\u2068${Object.values(piece)[0]}\u2069`
    })
    .join('')
}
