/**
 * The version of the words. A statement that was signed keeps its own, and its sentence word for word; a new one is made in this version, and
 * an approval is taken in this version only.
 */
export const SENTENCE_VERSION = 4
/** The languages in which everything can be said: a statement in another one is not made. */
export const SENTENCE_LANGUAGES = ['en', 'de', 'fr', 'es', 'ja', 'ar'] as const
export type SentenceLanguage = (typeof SENTENCE_LANGUAGES)[number]

/** Whether a page that knows these words may offer what a sentence of this version says. */
export const isSentenceVersion = (version: unknown): version is typeof SENTENCE_VERSION => version === SENTENCE_VERSION
