export type {
  Asked,
  ChargeAsked,
  EnrollmentAsked,
  JoinAsked,
  LimitsAsked,
  LinkAsked,
  MandateAsked,
  PaymentAsked,
  QuoteAsked,
} from './sentence/asked.ts'
export { dayText, durationText, hostText, listText, moneyText, type Reader } from './sentence/format.ts'
export { type Reading, readingOf } from './sentence/reading.ts'
export { sentenceIn, sentenceOf } from './sentence/say.ts'
export { isSentenceVersion, SENTENCE_LANGUAGES, SENTENCE_VERSION, type SentenceLanguage } from './sentence/version.ts'
export type { SentenceWords } from './sentence/words.ts'
