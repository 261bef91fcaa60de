import { afterAll, expect } from 'vitest'
import { accountFor } from './accounts.ts'
import { endPrograms } from './processes/program.ts'

// Nothing outlives a test file, also one that shares a process, also after a failure.
afterAll(endPrograms)
afterAll(() => accountFor(expect.getState().testPath ?? ''))
