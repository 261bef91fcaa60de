import { writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule, TestSpecification } from 'vitest/node'
import type { Failure, FileReport, Report } from './report.ts'

/**
 * Writes what a run came to into the file that `TEST_REPORT` names. Vitest's own JSON has neither the hooks that failed
 * nor the errors outside of tests, so a run could be red by its exit code and green by its report.
 */
export default class RunReporter implements Reporter {
  readonly #wanted = new Set<string>()

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    for (const { moduleId } of specifications) this.#wanted.add(moduleId)
  }

  async onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Promise<void> {
    const place = process.env.TEST_REPORT
    if (place === undefined) return
    const files = new Map(modules.map((module) => [module.moduleId, fileReport(module)]))
    for (const path of this.#wanted) {
      if (!files.has(path)) files.set(path, emptyReport(path, [{ test: '(the file)', message: 'It did not run.' }]))
    }
    const problems: string[] = []
    for (const error of unhandled) {
      const file = files.get(String(error.VITEST_TEST_PATH))
      if (file === undefined) problems.push(messageOf(error))
      else file.failures.push({ test: '(outside of a test)', message: messageOf(error) })
    }
    const report: Report = { files: [...files.values()], problems }
    await writeFile(place, JSON.stringify(report))
  }
}

function fileReport(module: TestModule): FileReport {
  const failures: Failure[] = module.errors().map((error) => ({ test: '(the file)', message: messageOf(error) }))
  for (const suite of module.children.allSuites()) {
    for (const error of suite.errors()) failures.push({ test: `${suite.fullName} (a hook)`, message: messageOf(error) })
  }
  let passed = 0
  const skipped: string[] = []
  for (const test of module.children.allTests()) {
    const { state, errors } = test.result()
    if (state === 'passed') passed += 1
    else if (state === 'skipped') skipped.push(test.fullName)
    else failures.push({ test: test.fullName, message: errors?.map(messageOf).join('\n') || 'It did not end.' })
  }
  const isDone = module.state() === 'passed' || module.state() === 'skipped'
  if (!isDone && failures.length === 0) failures.push({ test: '(the file)', message: 'It did not end.' })
  return { ...emptyReport(module.moduleId, failures), passed, skipped }
}

function emptyReport(path: string, failures: Failure[]): FileReport {
  return { file: relative('.', path), passed: 0, skipped: [], failures }
}

function messageOf({ name, message, stack }: { name?: string; message: string; stack?: string }): string {
  if (stack?.includes(message)) return stack
  return `${name ?? 'Error'}: ${message}\n${stack ?? ''}`.trim()
}
