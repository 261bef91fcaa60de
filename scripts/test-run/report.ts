/** What one run of vitest says, as the reporter beside this file writes it. Its order is that of the run. */
export interface Report {
  files: FileReport[]
  /** What belongs to no file, for example a worker that was killed. */
  problems: string[]
}

export interface FileReport {
  /** From the root of the project. */
  file: string
  passed: number
  skipped: string[]
  /** Empty where all is well. A hook, a file that cannot be loaded and an error outside of any test are failures too. */
  failures: Failure[]
}

export interface Failure {
  test: string
  /** With its stack, where it has one. */
  message: string
}
