// Guarantee: what is said about keeping a card where it is typed has a version, which is kept with the card. Other
// words are another version.
import { createHash } from 'node:crypto'
import { KEEPING_WORDS_VERSION } from '@mintmark/contract/keeping'
import { SENTENCE_LANGUAGES } from '@mintmark/contract/sentence/version'
import { expect, test } from 'vitest'
import { filled, foreign } from '../phrase.ts'
import { textsIn } from '../text/languages.ts'
import { en as enrollment } from './enrollment/text/en.ts'
import { en as permission } from './mandate-setup/text/en.ts'
import { en as payment } from './payment/text/en.ts'

/** The hash of the English words of each version there was, in order. Only the last line may be new. */
const HASHES = ['6d189f9a75676222a03fc9d58fd515248aa4b7cf6eb56596c1b5e6a5be74d3a7']

/** The present version in all languages: each says what English says. */
const IN_ALL_LANGUAGES = '19fb1ead17b007d8f8a5b9a3214e961a96c8f8aef6c494b1d6c9b8ee4096744d'

const operator = foreign('Operator')
const { once, why, kept } = payment.shared.keeping
const said = [
  once,
  filled(why, { operator }),
  filled(kept, { operator }),
  filled(permission.shared.keeping, { operator }),
  filled(enrollment.shared.keeping, { operator }),
]

test('the words are those of the version', () => {
  expect(HASHES).toHaveLength(KEEPING_WORDS_VERSION)
  expect(createHash('sha256').update(JSON.stringify(said)).digest('hex')).toBe(HASHES.at(-1))
})

test('and in every language', () => {
  const said = SENTENCE_LANGUAGES.map((language) => {
    const { payment, permission, enrollment } = textsIn(language)
    return [payment.shared.keeping, permission.shared.keeping, enrollment.shared.keeping]
  })
  expect(createHash('sha256').update(JSON.stringify(said)).digest('hex')).toBe(IN_ALL_LANGUAGES)
})
