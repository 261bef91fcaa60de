// Guarantee: a network that may have minted is inquired before it is asked again, and only its own word ends a charge.
import { describe, expect, test } from 'vitest'
import type { InquiryResult, MintedCredential, NetworkAnswer, ReleaseState } from '../network/port.ts'
import { secret } from '../platform/secret.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { testSeals } from '../platform/testing/row-seals.ts'
import type { ChargeDeps } from './deps.ts'
import { mint } from './mint.ts'
import { sealedCharge, sealedStanding } from './seal.ts'
import type { ChargeWork } from './store.ts'

const clock = new ManualClock()
const credential: MintedCredential = {
  ...{ token: secret('4895370000000008'), dynamicCvv: secret('123'), expiryMonth: '01', expiryYear: '2027' },
  validUntil: clock.now(),
}
const UNKNOWN = { outcome: 'unknown', cause: 'timeout' } as const
const MINTED = { outcome: 'ok', value: credential } as const
const known = (value: InquiryResult) => ({ outcome: 'ok', value }) as const

interface Script {
  register?: NetworkAnswer<{ instructionRef: string }>
  inquiry?: NetworkAnswer<InquiryResult>
  mint?: NetworkAnswer<MintedCredential>
  confirm?: NetworkAnswer<Record<never, never>>
  release?: NetworkAnswer<{ state: ReleaseState }>
}

/** A charge as it was approved. */
function sealedWork() {
  const signed = { amountMinor: 4000n, currency: 'USD', payeeUrl: 'https://tea.example' }
  const row = { merchantId: 'ma_one', id: 'txn_1', mandateId: 'mdt_1', openedBy: 'sess_1', ...signed }
  return {
    ...row,
    standingMandateId: null,
    reference: null,
    merchantActive: true,
    seal: testSeals().seal(sealedCharge(row)),
  }
}

const MANDATE = { mandateCurrency: 'USD', mandatePayeeUrl: 'https://tea.example' }

/** One against a standing mandate, at its own merchant or at another one. */
function standingWork(payeeUrl: string | null = null): Partial<ChargeWork> {
  const named = { merchantId: 'ma_one', id: 'txn_1', mandateId: 'mdt_1', reference: 'r' }
  const row = { ...named, amountMinor: 4000n, currency: null, payeeUrl }
  const seal = testSeals().seal(sealedStanding(row))
  const written = { currency: 'USD', payeeUrl: payeeUrl ?? MANDATE.mandatePayeeUrl }
  return { ...row, ...written, ...MANDATE, standingMandateId: 'mdt_1', seal }
}

/** Asks a network that follows a script; returns the outcome and which questions it got. */
async function ask(attempts: number, script: Script, change: Partial<ChargeWork> = {}) {
  const asked: string[] = []
  const answer = <T>(name: string, value: T | undefined) => {
    asked.push(name)
    if (value === undefined) throw new Error(`The network should not be asked to ${name}.`)
    return Promise.resolve(value)
  }
  const deps = {
    mandates: {
      register: () => answer('register', script.register ?? { outcome: 'ok', value: { instructionRef: 'r' } }),
    },
    network: {
      inquire: () => answer('inquire', script.inquiry),
      mint: () => answer('mint', script.mint),
      confirm: ({ outcome }: { outcome: string }) => answer(`confirm ${outcome}`, script.confirm),
      release: () => answer('release', script.release),
    },
    seals: testSeals(),
    vault: { sealCredential: async () => ({ sealed: Buffer.from('sealed'), keyId: 'k' }) },
  } as unknown as ChargeDeps
  const work = { ...sealedWork(), attempts, ...change } as ChargeWork
  const { outcome, ...rest } = await mint(deps, work)
  return { outcome, failure: 'failure' in rest ? rest.failure : undefined, asked }
}

describe('nothing is asked of the network', () => {
  test.each<[string, Partial<ChargeWork>]>([
    ['for a suspended merchant', { merchantActive: false }],
    ['for another amount than was signed', { amountMinor: 4001n }],
    ['in another currency', { currency: 'EUR' }],
    ['for another shop', { payeeUrl: 'https://evil.example' }],
    ['of a standing mandate, for another amount', { ...standingWork(), amountMinor: 4001n }],
    ['of a standing mandate, in another currency', { ...standingWork(), currency: 'EUR' }],
    ['of a standing mandate, under another reference', { ...standingWork(), reference: 's' }],
    ['of a standing mandate, at another shop', { ...standingWork(), payeeUrl: 'https://evil.example' }],
    [
      "of a standing mandate, at the mandate's shop instead of the named one",
      { ...standingWork('https://other.example'), payeeUrl: MANDATE.mandatePayeeUrl },
    ],
    ['of another standing mandate', { ...standingWork(), mandateId: 'mdt_2' }],
    ['as if it were of a checkout', { ...standingWork(), standingMandateId: null }],
    ['as if it were of a standing mandate', { ...MANDATE, standingMandateId: 'mdt_1' }],
    ['on another mandate', { mandateId: 'mdt_2' }],
    ['for a charge without a seal', { seal: null }],
  ])('%s', async (_name, change) => {
    expect(await ask(1, { mint: MINTED }, change)).toEqual({ outcome: 'refused', failure: 'PAYMENT_FAILED', asked: [] })
  })
})

describe('mint', () => {
  const declined = { outcome: 'declined', reason: 'CARD_DECLINED' } as const
  test.each<[string, number, Script, string, string[]]>([
    ['the first time', 1, { mint: MINTED }, 'minted', ['register', 'mint']],
    ['the first time, refused', 1, { mint: declined }, 'refused', ['register', 'mint']],
    ['the first time, no answer', 1, { mint: UNKNOWN }, 'unknown', ['register', 'mint']],
    ['the instruction refused', 1, { register: declined }, 'refused', ['register']],
    ['the instruction without answer', 1, { register: UNKNOWN }, 'unknown', ['register']],
    [
      'again, minted already',
      2,
      { inquiry: known({ state: 'minted', credential }) },
      'minted',
      ['register', 'inquire'],
    ],
    [
      'again, refused already',
      2,
      { inquiry: known({ state: 'declined', reason: 'CARD_DECLINED' }) },
      'refused',
      ['register', 'inquire'],
    ],
    [
      'again, never seen',
      2,
      { inquiry: known({ state: 'not_found' }), mint: MINTED },
      'minted',
      ['register', 'inquire', 'mint'],
    ],
    ['again, given back since', 2, { inquiry: known({ state: 'returned' }) }, 'refused', ['register', 'inquire']],
    ['again, no answer to the inquiry', 2, { inquiry: UNKNOWN }, 'unknown', ['register', 'inquire']],
    ['again, the inquiry refused', 2, { inquiry: declined }, 'unknown', ['register', 'inquire']],
  ])('%s', async (_name, attempt, script, outcome, questions) => {
    const result = await ask(attempt, script)
    expect([result.outcome, result.asked]).toEqual([outcome, questions])
    const isReturned = script.inquiry?.outcome === 'ok' && script.inquiry.value.state === 'returned'
    expect(result.failure).toBe(outcome === 'refused' ? (isReturned ? 'PAYMENT_FAILED' : 'CARD_DECLINED') : undefined)
  })
})

describe('refused by us after the network was asked', () => {
  const declined = { outcome: 'declined', reason: 'CARD_DECLINED' } as const
  const ok = { outcome: 'ok', value: {} } as const
  const minted = { inquiry: known({ state: 'minted', credential }) }
  const suspended = { merchantActive: false }
  const edited = { amountMinor: 4001n }
  test.each<[string, number, Partial<ChargeWork>, Script, string, string[]]>([
    ['no word', 2, suspended, { inquiry: UNKNOWN }, 'unknown', ['inquire']],
    [
      'refused there',
      2,
      suspended,
      { inquiry: known({ state: 'declined', reason: 'CARD_DECLINED' }) },
      'refused',
      ['inquire'],
    ],
    ['minted', 2, suspended, { ...minted, confirm: ok }, 'refused', ['inquire', 'confirm DECLINED']],
    ['no word, and paused since', 2, { mandateStatus: 'paused' }, { inquiry: UNKNOWN }, 'unknown', ['inquire']],
    [
      'minted, and paused since',
      2,
      { mandateStatus: 'paused' },
      { ...minted, confirm: ok },
      'refused',
      ['inquire', 'confirm DECLINED'],
    ],
    [
      'lost, and paused since',
      6,
      { mandateStatus: 'paused' },
      { inquiry: known({ state: 'not_found' }) },
      'refused',
      ['inquire'],
    ],
    [
      'lost, and cancelled since',
      6,
      { mandateStatus: 'cancelled' },
      { inquiry: known({ state: 'not_found' }) },
      'refused',
      ['inquire'],
    ],
    ['minted, of an edited row', 2, edited, { ...minted, confirm: ok }, 'refused', ['inquire', 'confirm DECLINED']],
    ['minted and paid', 2, suspended, { ...minted, confirm: declined }, 'refused', ['inquire', 'confirm DECLINED']],
    ['given back before', 2, suspended, { inquiry: known({ state: 'returned' }) }, 'refused', ['inquire']],
    ['minted, and not told', 2, suspended, { ...minted, confirm: UNKNOWN }, 'unknown', ['inquire', 'confirm DECLINED']],
    ['perhaps on its way', 5, suspended, { inquiry: known({ state: 'not_found' }) }, 'unknown', ['inquire']],
    ['lost', 6, suspended, { inquiry: known({ state: 'not_found' }) }, 'refused', ['inquire']],
  ])('a charge of a standing mandate: %s', async (_name, attempts, change, script, outcome, asked) => {
    const result = await ask(attempts, script, { ...standingWork(), ...change })
    expect([result.outcome, result.asked]).toEqual([outcome, asked])
    expect(result.failure).toBe(outcome === 'refused' ? 'PAYMENT_FAILED' : undefined)
  })

  test.each(['active', 'consumed', 'expired'] as const)(
    'whose mandate is %s: what was minted is minted',
    async (mandateStatus) => {
      const { outcome, asked } = await ask(2, minted, { ...standingWork(), mandateStatus })
      expect([outcome, asked]).toEqual(['minted', ['register', 'inquire']])
    },
  )

  test.each<[NonNullable<Script['release']>, string]>([
    [{ outcome: 'ok', value: { state: 'released' } }, 'refused'],
    [{ outcome: 'ok', value: { state: 'not_minted' } }, 'refused'],
    [{ outcome: 'ok', value: { state: 'used' } }, 'refused'],
    [UNKNOWN, 'unknown'],
  ])('the charge of a checkout: what was minted is ended before anything is written: %j', async (release, outcome) => {
    const result = await ask(2, { release }, suspended)
    expect([result.outcome, result.asked]).toEqual([outcome, ['release']])
  })

  test('the first try of a checkout has asked for nothing, and ends nothing', async () => {
    expect(await ask(1, {}, suspended)).toEqual({ outcome: 'refused', failure: 'PAYMENT_FAILED', asked: [] })
  })
})
