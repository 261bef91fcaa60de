import { afterAll } from 'vitest'
import { endPrograms } from './processes/program.ts'

// Of each test file, also of those that share a process: nothing outlives it, also after a failure.
afterAll(endPrograms)
