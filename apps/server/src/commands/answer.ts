/**
 * What a verb answers, as JSON: names of fields in the spelling of the API (`merchant_id`), amounts as numbers. The program has made all names
 * that are spelt here. Nothing that somebody else has named, such as metadata, is in the answer of a verb.
 */
export function answerText(value: unknown): string {
  return JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? Number(part) : spelt(part)), 2)
}

/** Lists, and what has a spelling of its own (times), come here as they are written. */
function spelt(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [inSnakeCase(name), value]))
}

/** `merchantId` → `merchant_id`. What is not one word after another stays: `USD`. */
function inSnakeCase(name: string): string {
  return /^[a-z][a-zA-Z0-9]*$/.test(name) ? name.replaceAll(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`) : name
}
