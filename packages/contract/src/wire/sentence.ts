import { type Static, Type } from 'typebox'
import { SENTENCE_LANGUAGES, SENTENCE_VERSION } from '../sentence/version.ts'
import { nullable, oneOf } from './schema.ts'

/**
 * All that is asked for in one sentence, for its reader: a part of what is signed. A page shows it word for word, and offers no button for one
 * that it could not have said.
 */
export const Sentence = Type.Object({
  version: Type.Literal(SENTENCE_VERSION),
  language: oneOf(SENTENCE_LANGUAGES),
  /** How its amounts and times are written: `de-AT`. */
  locale: Type.String(),
  /** The zone of its times; null: UTC, which it says. */
  time_zone: nullable(Type.String()),
  text: Type.String(),
})
export type Sentence = Static<typeof Sentence>
