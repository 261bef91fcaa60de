import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'

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
 * run everything. A report that is missing or empty fails too.
 */
const SKIPS_THAT_NEED_ANOTHER_SERVER = /EXPLAIN \(GENERIC_PLAN\) came with PostgreSQL 16/
const FAILURE_CHARS = 600
const REPORTS = process.argv.slice(2)
let passed = 0
let failed = 0
for (const file of REPORTS) {
  const report = JSON.parse(await readFile(file, 'utf8')) as Report
  const skipped = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'pending' || status === 'skipped' || status === 'todo'),
  )
  const unexcused = skipped.filter(({ fullName }) => !SKIPS_THAT_NEED_ANOTHER_SERVER.test(fullName))
  for (const { fullName } of unexcused) console.log(`skipped, so failed: ${fullName}`)
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  )
  for (const { name, message } of broken) console.log(`did not run: ${name}\n${message}`)
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
if (passed === 0) failed += 1
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
