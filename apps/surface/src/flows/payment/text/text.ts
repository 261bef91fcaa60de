import { en } from './en.ts'

/** What another language must say too. */
export type PaymentText = typeof en

export const text: PaymentText = en
