/** 1: declined, or an error. 2: this agent is not linked, or neither its owner nor the service has confirmed what it asked for. */
export type ExitCode = 0 | 1 | 2

/** Why a command ends without what it was asked for. Programs read the code, and tell by the exit code whether asking again may help. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: string
  readonly exitCode: ExitCode
  /** What a program needs to go on, beside the words. */
  readonly facts: Readonly<Record<string, string>>

  constructor(code: string, message: string, exitCode: ExitCode = 1, facts: Readonly<Record<string, string>> = {}) {
    super(message)
    this.code = code
    this.exitCode = exitCode
    this.facts = facts
  }
}

/** With which code a program ends that an error has ended. */
export function exitCodeOf(error: unknown): number {
  return error instanceof Failure ? error.exitCode : 1
}
