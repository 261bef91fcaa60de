import { expect, test } from 'vitest'
import { declareError, fieldErrors, MAX_DETAILS } from './errors.ts'

// Guarantee: a response that names failing fields stays small, whoever found them and however many there are.

const failing = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`items[${index}]`, 'is wrong']))

test.each([1, MAX_DETAILS])('of %i failing fields all are named', (count) => {
  expect(fieldErrors(failing(count)).details).toEqual(failing(count))
})

test('of more the first are, in details and message', () => {
  const refused = fieldErrors(failing(500))
  expect(refused.details).toEqual(failing(MAX_DETAILS))
  expect(refused.message).toBe(`The request is not valid: ${Object.keys(failing(MAX_DETAILS)).join(', ')}.`)
  const declared = declareError('PRODUCT_NOT_FOUND', 'There is none.')
  expect(declared({ details: failing(500) }).details).toEqual(failing(MAX_DETAILS))
})
