import { en } from './en.ts'

/** What another language must say too. */
type EnrollmentText = typeof en

export const text: EnrollmentText = en
