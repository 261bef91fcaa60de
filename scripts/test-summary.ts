import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { SKIPPED_BY_CAPABILITY } from './skipped-by-capability.ts'

/** The part of the report of vitest's JSON reporter that the summary needs. */
interface Report {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  success: boolean
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/**
 * Adds up test reports and closes with `N passed, N failed`. A skipped test counts as failed: CI must
 * run everything that can be run. A report that is missing or empty fails too.
 */
const SKIPS_THAT_NEED_ANOTHER_SERVER = /EXPLAIN \(GENERIC_PLAN\) came with PostgreSQL 16/
const FAILURE_CHARS = 600
const FAILED_SUITES_CHARS = 4_000
const REPORTS = process.argv.slice(2)
let passed = 0
let failed = 0
/** Named as skipped, and not seen so. */
const unseen = new Set(SKIPPED_BY_CAPABILITY)
for (const file of REPORTS) {
  const report = JSON.parse(await readFile(file, 'utf8')) as Report
  const skipped = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'pending' || status === 'skipped' || status === 'todo'),
  )
  for (const { fullName } of skipped) unseen.delete(fullName)
  const unexcused = skipped.filter(
    ({ fullName }) => !SKIPS_THAT_NEED_ANOTHER_SERVER.test(fullName) && !SKIPPED_BY_CAPABILITY.includes(fullName),
  )
  for (const { fullName } of unexcused) console.log(`skipped, so failed: ${fullName}`)
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  )
  for (const { name, message } of broken) console.log(`did not run: ${relative('.', name)}\n${message}`)
  // The report is silent about a hook that failed; what the run printed has it.
  if (broken.length > 0) console.log(await readFailedSuites(file.replace(/json$/, 'log')))
  // Named here once more: the end of a long report is what is read first, and at times all that is kept.
  for (const { name, assertionResults } of report.testResults) {
    for (const test of assertionResults.filter(({ status }) => status === 'failed')) {
      console.log(
        `failed: ${relative('.', name)}: ${test.fullName}\n${test.failureMessages.join('\n').slice(0, FAILURE_CHARS)}`,
      )
    }
  }
  passed += report.numPassedTests
  failed += report.numFailedTests + unexcused.length + broken.length
  if (!report.success && report.numFailedTests + broken.length === 0) failed += 1
}
for (const fullName of unseen) console.log(`named as skipped, and was not: ${fullName}`)
failed += unseen.size
if (passed === 0) failed += 1
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** What a run printed of hooks and files that failed: empty without its log. */
async function readFailedSuites(log: string): Promise<string> {
  const text = stripVTControlCharacters(await readFile(log, 'utf8').catch(() => ''))
  const at = text.indexOf(' Failed Suites ')
  return at < 0 ? '' : text.slice(at, at + FAILED_SUITES_CHARS)
}
