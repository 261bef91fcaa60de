import { afterAll } from 'vitest'
import { endPrograms } from './processes/program.ts'

// After each test file, also those that share a process: no program outlives it, also after a failure.
afterAll(endPrograms)
