import { en } from './en.ts'

/** What another language must say too. */
type PaymentText = typeof en

export const text: PaymentText = en
