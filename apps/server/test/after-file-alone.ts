import { afterAll, expect } from 'vitest'
import { accountFor } from './accounts.ts'

// Loads nothing of the service: a file that replaces one of its modules does so before any other loads it.
afterAll(() => accountFor(expect.getState().testPath ?? ''))
