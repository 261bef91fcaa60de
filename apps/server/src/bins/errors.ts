import { fieldErrors, type PublicError } from '../platform/errors.ts'

/** What is wrong with a table that was to be imported. Nothing of it is used. */
export function badTable(problem: string): PublicError {
  return fieldErrors({ table: problem })
}
