import type { Pool } from 'pg'
import { bound } from '../platform/bound.ts'
import { verify } from './verify.ts'

export { RULES } from './rules.ts'
export type { Contradiction, Report } from './verify.ts'

/** Looks for rows that contradict themselves, or name others that are not there. */
export const createRowService = (deps: { pool: Pool }) => bound(deps, { verify })
