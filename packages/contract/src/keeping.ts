/**
 * The version of the words that say, wherever a card is typed, that it is kept, by whom and what for, and that it need
 * not be. What a person read and answered is kept with their card: who changes the words in English counts one up, and
 * notes their hash in the page's `keeping-words.test.ts`.
 */
export const KEEPING_WORDS_VERSION = 1
