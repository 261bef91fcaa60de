import { remember } from '../platform/remember.ts'

/** Where a mandate is charged unless the charge says otherwise. It is as long as the mandate is: it is under its seals. */
export interface MandatePlace {
  payeeUrl: string
  currency: string
}

const MOST = 10_000

/** What this process has seen of mandates that agents charge: the next charge need not read it again. */
export function createPlaces() {
  const known = new Map<string, MandatePlace>()
  return {
    find: (mandateId: string) => known.get(mandateId),
    remember(mandateId: string, { payeeUrl, currency }: MandatePlace): void {
      remember(known, MOST, mandateId, { payeeUrl, currency })
    },
  }
}
export type Places = ReturnType<typeof createPlaces>
