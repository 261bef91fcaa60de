import { expect, test } from 'vitest'
import type { Failure, FileReport } from './report.ts'
import { type Run, secondLooks, summarize } from './summary.ts'

const FAILURE: Failure = {
  test: 'pays > once',
  message: '\nAssertionError: expected 2 to be 1\n    at pays.test.ts:7:3',
}
const STRICT = { skip: false }

const file = (name: string, parts: Partial<FileReport> = {}): FileReport => ({
  file: `apps/${name}.test.ts`,
  passed: 10,
  skipped: [],
  failures: [],
  ...parts,
})
const broken = (name: string) => file(name, { passed: 9, failures: [FAILURE] })
const run = (files: FileReport[], parts: Partial<Run> = {}): Run => ({
  set: 'database',
  report: { files, problems: [] },
  exitCode: files.some(({ failures }) => failures.length > 0) ? 1 : 0,
  ...parts,
})

test('all green', () => {
  const first = [run([file('a'), file('b')]), run([file('a')], { set: 'once' })]
  expect(secondLooks(first)).toEqual([])
  expect(summarize(first, [], STRICT)).toEqual({ lines: ['30 passed, 0 failed'], passed: 30, failed: 0, skipped: 0 })
})

test('unsteady: red among others, green alone', () => {
  const first = [run([file('a'), broken('b')])]
  expect(secondLooks(first)).toEqual([{ set: 'database', file: 'apps/b.test.ts' }])
  const { lines, failed } = summarize(first, [run([file('b')])], STRICT)
  expect(lines).toEqual([
    'unsteady: apps/b.test.ts: pays > once: AssertionError: expected 2 to be 1',
    '20 passed, 0 failed',
  ])
  expect(failed).toBe(0)
})

test('red twice', () => {
  const { lines, failed } = summarize([run([file('a'), broken('b')])], [run([broken('b')])], STRICT)
  expect(lines[0]).toMatch(/^failed: apps\/b\.test\.ts: pays > once\n\nAssertionError/)
  expect(lines.at(-1)).toBe('19 passed, 1 failed')
  expect(failed).toBe(1)
})

test('a second look counts for its own set alone', () => {
  const first = [run([broken('a')]), run([broken('a')], { set: 'oldest' })]
  const { lines } = summarize(first, [run([file('a')]), run([broken('a')], { set: 'oldest' })], STRICT)
  expect(lines.at(-1)).toBe('19 passed, 1 failed')
})

test('four files are looked at again, five are not', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  expect(secondLooks([run(names.slice(1).map(broken))])).toHaveLength(4)
  const first = [run(names.map(broken))]
  expect(secondLooks(first)).toEqual([])
  expect(summarize(first, [], STRICT)).toMatchObject({ passed: 45, failed: 5 })
})

test('a file that did not run', () => {
  const first = [
    run([file('a'), file('b', { passed: 0, failures: [{ test: '(the file)', message: 'It did not run.' }] })]),
  ]
  expect(secondLooks(first)).toHaveLength(1)
  const { lines } = summarize(first, [], STRICT)
  expect(lines).toEqual(['failed: apps/b.test.ts: (the file)\nIt did not run.', '10 passed, 1 failed'])
})

test('a second look that said nothing leaves the failure', () => {
  const silent = run([], { report: null, exitCode: 134 })
  expect(summarize([run([broken('b')])], [silent], STRICT)).toMatchObject({ passed: 9, failed: 1 })
})

test.each([
  ['no report', run([], { report: null, exitCode: 1 }), /there is no report, and vitest ended with 1/],
  ['an empty report', run([]), /the report is empty/],
  ['a code that nothing explains', run([file('a')], { exitCode: 1 }), /vitest ended with 1, and its last words/],
  [
    'an error of no file',
    run([file('a')], { report: { files: [file('a')], problems: ['Worker exited'] } }),
    /Worker exited/,
  ],
])('%s is red', (_what, odd, said) => {
  const { lines, failed } = summarize([run([file('z')], { set: 'once' }), odd], [], STRICT)
  expect(lines[0]).toMatch(said)
  expect(failed).toBe(1)
})

test('no test at all is red', () => {
  expect(summarize([], [], STRICT).lines.at(-1)).toBe('0 passed, 1 failed')
})

test('a skipped test is a failure where nothing may be skipped, and is said elsewhere', () => {
  const first = [run([file('a', { skipped: ['in Chromium', 'EXPLAIN (GENERIC_PLAN) came with PostgreSQL 16'] })])]
  expect(summarize(first, [], STRICT).lines).toEqual([
    'skipped, so failed: apps/a.test.ts: in Chromium',
    '10 passed, 1 failed',
  ])
  expect(summarize(first, [], { skip: true }).lines).toEqual([
    'skipped: apps/a.test.ts: 1 tests',
    '10 passed, 0 failed, 1 skipped',
  ])
})

test('a set that was not run is a failure where nothing may be skipped, and is said elsewhere', () => {
  const first = [run([file('a')])]
  const { lines, failed } = summarize(first, [], { skip: false, unrun: ['oldest'] })
  expect(lines).toEqual(['failed: the set "oldest" was not run', '10 passed, 1 failed'])
  expect(failed).toBe(1)
  expect(summarize(first, [], { skip: true, unrun: ['oldest'] }).lines).toEqual([
    'skipped: the set "oldest" was not run',
    '10 passed, 0 failed',
  ])
})
