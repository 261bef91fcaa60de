import type { SurfaceView } from '@mintmark/contract/wire/surface'

/** What views of every kind share, of a session that is over. */
export const ENDED = {
  operator: { name: 'northpay' },
  merchant: { brand: {} },
  locale: null,
  session_id: 'ps_1',
  step: 'done',
  outcome: 'failed',
  failure: null,
  integration_type: 'embedding',
  agent: null,
  allowed_origins: [],
  return_url: null,
  expires_at: '2026-11-21T12:00:00.000Z',
  now: '2026-11-21T11:50:00.000Z',
  environment: 'sandbox',
  cards: [],
  card: null,
  card_on_file: null,
  card_once: false,
  has_passkey: true,
  passkey_made_at: null,
} satisfies Partial<SurfaceView>
