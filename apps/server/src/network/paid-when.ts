/** When a payment that no merchant reports is taken for made: when it is captured, or when it is authorized. */
export const PAID_WHEN = ['captured', 'authorized'] as const
export type PaidWhen = (typeof PAID_WHEN)[number]
