import type { PauseReason } from '@mintmark/contract/webhooks'

/** What does not arrive, why, and the three steps out of it. */
export interface Incident {
  title: string
  why: string
  cause: string
  steps: readonly [string, string]
}

export const incidents: Record<PauseReason | 'failing', Incident> = {
  not_enabled: {
    title: 'This endpoint is switched off. New events are not queued for it.',
    why: 'It is verified, and you have not enabled it or have paused it. What is queued waits; the feed has everything.',
    cause: 'switched off',
    steps: ['Enable it', 'Make an event, and see it arrive'],
  },
  unverified: {
    title: 'This endpoint gets nothing yet: it is not verified.',
    why: 'It has to return a challenge once, so that nothing is sent to a server that is not yours.',
    cause: 'not verified',
    steps: ['Verify it', 'Enable it'],
  },
  url_changed: {
    title: 'This endpoint gets nothing since its address was changed.',
    why: 'The new address has not returned a challenge. What was queued for the old one is cancelled.',
    cause: 'new address',
    steps: ['Verify the new address', 'Enable it'],
  },
  circuit_open: {
    title: 'This endpoint does not answer well, so we stopped calling it.',
    why: 'Five attempts in a row were not acknowledged. Every five minutes one is tried; what waits is sent when it is answered with 2xx.',
    cause: 'five failures in a row',
    steps: ['Repair your server until it answers 2xx', 'Send one of them again, and see it arrive'],
  },
  gone: {
    title: 'This endpoint said that it is gone, so we disabled it.',
    why: 'It answered 410. What was queued for it is cancelled; the feed has everything.',
    cause: 'it answered 410',
    steps: ['Let it answer 2xx, and verify it', 'Enable it'],
  },
  forbidden_address: {
    title: 'The name of this endpoint leads to an address that we may not call, so we disabled it.',
    why: 'The address is private or reserved. What was queued for it is cancelled; the feed has everything.',
    cause: 'a private address',
    steps: ['Correct its name or its URL, and verify it', 'Enable it'],
  },
  failing: {
    title: 'The newest attempt did not arrive. It is tried again by itself.',
    why: 'Each event is tried nine times within 72 hours.',
    cause: 'not acknowledged',
    steps: ['Repair your server until it answers 2xx', 'Send one of them again, and see it arrive'],
  },
}
