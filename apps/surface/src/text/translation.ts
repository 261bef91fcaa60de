import type { HoleOf } from '../phrase.ts'

/** A text by number, as the reader's language counts: `one` and `other` in English, six forms in Arabic. */
export type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

/** A text that has these holes, wherever its language wants them. */
type With<Hole extends string> = [Hole] extends [never]
  ? string
  : (Hole extends string ? (text: `${string}{${Hole}}${string}`) => void : never) extends (text: infer All) => void
    ? All
    : never

/** What another language must say too: a text that is missing, or that lacks a hole, does not compile. */
export type Translation<Words> = Words extends string
  ? With<HoleOf<Words>>
  : Words extends { other: infer Other extends string }
    ? { other: With<HoleOf<Other>> } & Partial<Record<Intl.LDMLPluralRule, string>>
    : { readonly [Key in keyof Words]: Translation<Words[Key]> }
