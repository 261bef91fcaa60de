import { limit } from '../http/limit.ts'

/** What makes us send to a server that the caller names: few, so that no caller attacks a server through us. */
export const perEndpointRequest = limit('webhook_request', {
  points: 30,
  sandboxPoints: 120,
  windowSeconds: 60,
  by: ({ merchantId }: { merchantId: string }) => merchantId,
  withoutStore: 'refuse',
  // Few points in all: they are taken one by one, so that none is left unused on another node.
  blocks: 30,
  meaning: 'Verifications and tests of webhook endpoints: each is a request to a server of the caller’s choice.',
  countedBy: 'merchant',
})
