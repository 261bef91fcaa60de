import { expect, test } from 'vitest'
import { bound } from './bound.ts'

interface Deps {
  base: number
}

async function add({ base }: Deps, ...numbers: number[]): Promise<number> {
  return numbers.reduce((sum, number) => sum + number, base)
}

function name(_deps: Deps, first: string, last = 'Doe'): string {
  return `${first} ${last}`
}

const service = bound({ base: 10 }, { add, name })

test('each use case keeps its parameters but the first, and its result', async () => {
  expect(await service.add(1, 2)).toBe(13)
  expect(service.name('Jo')).toBe('Jo Doe')
  expect(Object.keys(service)).toEqual(['add', 'name'])
})

test('a member works without its service', async () => {
  const { add: alone } = service
  expect(await alone()).toBe(10)
})

test('the compiler knows parameters, results and what is needed', () => {
  // @ts-expect-error A number is not a name.
  expect(service.name(1)).toBe('1 Doe')
  // @ts-expect-error The dependency is missing.
  expect(bound({}, { add }).add).toBeTypeOf('function')
})
