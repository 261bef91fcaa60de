import { describe, expect, test } from 'vitest'
import { COMPILERS } from './compilers.ts'
import { SERIALIZER_OPTIONS, VALIDATOR_OPTIONS } from './validation.ts'

const ROUTE = { method: 'POST', url: '/v1/toys', httpPart: 'body' as never, httpStatus: '200' }
const TOY = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }

/** As one host asks for it. */
const validatorOf = (schema: object) =>
  COMPILERS.buildValidator({}, VALIDATOR_OPTIONS as object)({ ...ROUTE, schema } as never)
const serializerOf = (schema: object) =>
  COMPILERS.buildSerializer({}, SERIALIZER_OPTIONS as object)({ ...ROUTE, schema } as never)

describe('a schema', () => {
  test('is compiled when it is used, and not before', () => {
    const [validate, serialize] = [validatorOf({ type: 'nonsense' }), serializerOf({ $ref: '#/nowhere' })]
    expect(() => validate({})).toThrow(/type/)
    expect(() => serialize({})).toThrow(/nowhere/)
  })

  test('is compiled once for all hosts', () => {
    let read = 0
    const counted = {
      ...TOY,
      get properties() {
        read += 1
        return TOY.properties
      },
    }
    const validators = [validatorOf(counted), validatorOf(counted)]
    expect(validators.map((validate) => validate({ name: 'a' }))).toEqual([true, true])
    const once = read
    expect(validatorOf(counted)({ name: 'b' })).toBe(true)
    expect(once).toBeGreaterThan(0)
    expect(read).toBe(once)
    expect([serializerOf(TOY), serializerOf(TOY)].map((serialize) => serialize({ name: 'a', more: 1 }))).toEqual([
      '{"name":"a"}',
      '{"name":"a"}',
    ])
  })
})

test('each call leaves its own errors, of whichever host', () => {
  const [one, other] = [validatorOf(TOY), validatorOf(TOY)] as unknown as [
    { (value: unknown): unknown; errors?: { instancePath: string; keyword: string }[] | null },
    { (value: unknown): unknown; errors?: { instancePath: string; keyword: string }[] | null },
  ]
  expect([one({}), other({ name: 1 })]).toEqual([false, false])
  expect(one.errors).toMatchObject([{ keyword: 'required' }])
  expect(other.errors).toMatchObject([{ keyword: 'type', instancePath: '/name' }])
  expect(one({ name: 'a' })).toBe(true)
  expect(one.errors).toBeNull()
})
