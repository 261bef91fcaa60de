import type { FileReport, Report } from './report.ts'

/** What vitest said of one set of tests, or of one file of it. */
export interface Run {
  set: string
  /** `null` where it wrote none. */
  report: Report | null
  exitCode: number
}

export interface Summary {
  lines: string[]
  passed: number
  failed: number
  skipped: number
}

export interface May {
  /** Tests, and whole sets, may be left out; they are named then. */
  skip: boolean
  /** The sets whose server the environment does not name. */
  unrun?: readonly string[]
}

/** More than these are no accident of a busy machine. */
const MAX_SECOND_LOOKS = 4

/** It needs a server that the oldest version is not. */
const EXCUSED = /EXPLAIN \(GENERIC_PLAN\) came with PostgreSQL 16/
const MESSAGE_CHARS = 600

/** Which files are run once more, alone: those that failed, unless they are too many. */
export function secondLooks(first: readonly Run[]): { set: string; file: string }[] {
  const failed = first.flatMap(({ set, report }) =>
    (report?.files ?? []).filter(({ failures }) => failures.length > 0).map(({ file }) => ({ set, file })),
  )
  return failed.length > MAX_SECOND_LOOKS ? [] : failed
}

/**
 * Adds up the runs of the sets, and those of the files that were looked at again: what these say counts. A test that
 * passed alone after it failed among others is named as unsteady. What vitest could not say, by its report or by a code
 * that the report does not explain, is a failure, and so is a skipped test, or a set that was not run, where nothing may
 * be skipped.
 */
export function summarize(first: readonly Run[], again: readonly Run[], may: May): Summary {
  const summary: Summary = { lines: [], passed: 0, failed: 0, skipped: 0 }
  const fail = (line: string) => {
    summary.failed += 1
    summary.lines.push(line)
  }
  for (const set of may.unrun ?? []) {
    if (may.skip) summary.lines.push(`skipped: the set "${set}" was not run`)
    else fail(`failed: the set "${set}" was not run`)
  }
  const unsteady: string[] = []
  for (const run of first) {
    for (const problem of problemsOf(run)) fail(`failed: ${run.set}: ${problem}`)
    for (const one of run.report?.files ?? []) {
      const second = again.find(({ set, report }) => set === run.set && report?.files.some(isOf(one)))
      const last = second?.report?.files.find(isOf(one)) ?? one
      count(summary, last, may, fail)
      for (const problem of second ? problemsOf(second) : []) fail(`failed: ${run.set}, alone: ${problem}`)
      if (one.failures.length === 0 || last.failures.length > 0) continue
      for (const { test, message } of one.failures)
        unsteady.push(`unsteady: ${one.file}: ${test}: ${firstLine(message)}`)
    }
  }
  if (summary.passed === 0) fail('failed: no test has run')
  const skips = summary.skipped > 0 ? `, ${summary.skipped} skipped` : ''
  summary.lines.push(...unsteady, `${summary.passed} passed, ${summary.failed} failed${skips}`)
  return summary
}

function count(summary: Summary, one: FileReport, may: May, fail: (line: string) => void): void {
  summary.passed += one.passed
  for (const { test, message } of one.failures) fail(`failed: ${one.file}: ${test}\n${message.slice(0, MESSAGE_CHARS)}`)
  const skipped = one.skipped.filter((test) => !EXCUSED.test(test))
  if (!may.skip) for (const test of skipped) fail(`skipped, so failed: ${one.file}: ${test}`)
  else if (skipped.length > 0) {
    summary.skipped += skipped.length
    summary.lines.push(`skipped: ${one.file}: ${skipped.length} tests`)
  }
}

function problemsOf({ report, exitCode }: Run): string[] {
  if (report === null) return [`there is no report, and vitest ended with ${exitCode}`]
  if (report.files.length === 0) return [...report.problems, 'the report is empty: no file has run']
  const isExplained = report.problems.length > 0 || report.files.some(({ failures }) => failures.length > 0)
  if (exitCode !== 0 && !isExplained) return [`vitest ended with ${exitCode}, and its last words above say why`]
  return report.problems
}

const isOf =
  ({ file }: FileReport) =>
  (other: FileReport) =>
    other.file === file

/** The first line of a failure: the colours and the stack stay in the run's own output. */
export function firstLine(message: string): string {
  return (message.split('\n').find((line) => line.trim() !== '') ?? '').trim().slice(0, MESSAGE_CHARS)
}
