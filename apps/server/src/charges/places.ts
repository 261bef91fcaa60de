import { remember } from '../platform/remember.ts'

/** Where a mandate is charged unless the charge says otherwise. It is as long as the mandate is: it is under its seals. */
export interface MandatePlace {
  payeeUrl: string
  currency: string
}

const MAX_REMEMBERED = 10_000

/**
 * What this process has seen of mandates that agents charge: the next charge need not read it again. It is told to the agent alone for which
 * the mandate was read: whose a mandate is no other one has shown.
 */
export function createPlaces() {
  const known = new Map<string, MandatePlace & { agentId: string }>()
  return {
    find(mandateId: string, agentId: string): MandatePlace | undefined {
      const place = known.get(mandateId)
      return place?.agentId === agentId ? place : undefined
    },
    remember(mandateId: string, agentId: string, { payeeUrl, currency }: MandatePlace): void {
      remember(known, MAX_REMEMBERED, mandateId, { payeeUrl, currency, agentId })
    },
  }
}
export type Places = ReturnType<typeof createPlaces>
