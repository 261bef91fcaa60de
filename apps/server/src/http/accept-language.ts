/**
 * The one of these languages that `Accept-Language` wants most (RFC 9110, 12.5.4); the first of them where it wants
 * none. Only the language of a tag counts: what is written for Austria reads well in Switzerland.
 */
export function preferredLanguage<Language extends string>(
  acceptLanguage: string | undefined,
  languages: readonly [Language, ...Language[]],
): Language {
  const wanted = (acceptLanguage ?? '')
    .toLowerCase()
    .split(',')
    .map(rangeOf)
    .filter(({ weight }) => weight > 0)
    // The first that is named, where two are wanted alike.
    .sort((a, b) => b.weight - a.weight)
  for (const { language } of wanted) {
    const known = languages.find((each) => each === language)
    if (known !== undefined) return known
  }
  return languages[0]
}

function rangeOf(item: string): { language: string; weight: number } {
  const [tag = '', ...parameters] = item.split(';').map((part) => part.trim())
  const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1'
  // What is no weight wants nothing.
  return { language: tag.split('-')[0] ?? '', weight: /^[01](?:\.\d{0,3})?$/.test(weight) ? Number(weight) : 0 }
}
