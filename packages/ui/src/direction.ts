/** By the language, not by its first letter: a sentence may begin with a name from another script. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return /^(ar|fa|he|ur)\b/.test(language) ? 'rtl' : 'ltr'
}
