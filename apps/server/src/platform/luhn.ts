/** The weighted sum of ISO/IEC 7812-1, Annex B: from the right, every second digit counts twice. */
export function luhnSum(digits: readonly number[], start = 0, length = digits.length): number {
  let sum = 0
  for (let step = 0; step < length; step += 1) {
    const digit = digits[start + length - 1 - step] ?? 0
    const doubled = step % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum
}

/** Whether the last digit of a number is the right check digit. */
export function passesLuhn(number: string): boolean {
  return luhnSum(Array.from(number, Number)) % 10 === 0
}

/** The check digit that makes `payload` a card number. */
export function luhnDigit(payload: string): string {
  return String((10 - (luhnSum(Array.from(`${payload}0`, Number)) % 10)) % 10)
}
