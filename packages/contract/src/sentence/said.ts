import type { Sentence } from '../wire/sentence.ts'
import type { Asked } from './asked.ts'
import type { Reading } from './reading.ts'
import { sentenceOf } from './say.ts'
import { SENTENCE_VERSION } from './version.ts'

/** What is asked for as it is signed: the sentence, and how its reader reads. */
export function said(asked: Asked, reading: Reading): Sentence {
  const { language, locale, timeZone } = reading
  return { version: SENTENCE_VERSION, language, locale, time_zone: timeZone, text: sentenceOf(asked, reading) }
}
