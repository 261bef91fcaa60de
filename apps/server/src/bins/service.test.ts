import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder } from '../../test/cardholder.ts'
import {
  CARDS,
  createEnrollment,
  createSession,
  enroll,
  expectCreated,
  expectError,
  vaultRecord,
} from '../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { refusalOf } from './rules.ts'
import { createBinService } from './service.ts'

// Guarantee: a merchant's rules keep out the cards that they name, at every door, before the network is asked; what is
// not known of a card is not what a rule asks for; and a table takes the place of another as a whole or not at all.

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

async function* lines(...text: string[]) {
  yield* text
}
const bins = (environment: 'sandbox' | 'production' = 'sandbox') =>
  createBinService({ pool: service.pool, clock: service.clock, environment })
const importing = (...text: string[]) => bins().importTable(lines(...text), () => {})
const only = (countries: string[] | null, issuers: string[] | null = null) => ({ countries, issuers })

describe('the rules', () => {
  const US = { country: 'US', issuer: 'First Bank' }
  test.each([
    [only(null), US, null],
    [only(null), null, null],
    [only(['US']), US, null],
    [only(['DE', 'US'], ['first bank ']), US, null],
    [only(['DE']), US, 'BIN_COUNTRY_NOT_ALLOWED'],
    [only(['US']), null, 'BIN_COUNTRY_NOT_ALLOWED'],
    [only(['US']), { country: null, issuer: 'First Bank' }, 'BIN_COUNTRY_NOT_ALLOWED'],
    [only(['US'], ['Other Bank']), US, 'BIN_ISSUER_NOT_ALLOWED'],
    [only(null, ['First Bank']), { country: 'US', issuer: null }, 'BIN_ISSUER_NOT_ALLOWED'],
  ])('%j of %j: %s', (rules, facts, refusal) => {
    expect(refusalOf(rules, facts)).toBe(refusal)
  })
})

describe('through the API, by the table of the sandbox', () => {
  const merchantThatTakes = async (countries: string[] | null, issuers: string[] | null = null) => {
    const merchant = await service.addMerchant()
    await service.app.merchants.setCardRules(merchant.merchantId, { countries, issuers })
    return merchant
  }
  const provision = async (merchant: TestMerchant, number: string) =>
    enroll(merchant, { vault_ref_id: await vaultRecord(merchant, { card_number: number }) })

  test('a card of a country that is not listed is not provisioned, and the network is not asked', async () => {
    const merchant = await merchantThatTakes(['US', 'GB'])
    expectCreated(await provision(merchant, CARDS.success))
    const refused = await provision(merchant, '3056930009020004')
    expectError(refused, 400, 'BIN_COUNTRY_NOT_ALLOWED')
    const { rows } = await service.pool.query(
      `select c.status, (select count(*)::int from simnet.tokens t where t.card_id = c.id) as tokens,
         (select count(*)::int from vault_records v where v.id = c.vault_record_id) as records
       from cards c where c.merchant_id = $1 and c.brand = 'diners'`,
      [merchant.merchantId],
    )
    expect(rows).toEqual([{ status: 'deleted', tokens: 0, records: 0 }])
  })

  test('nor one of an issuer that is not, at the page either; the status names the rule and the page does not', async () => {
    const merchant = await merchantThatTakes(null, ['Sandbox Express'])
    expectCreated(await provision(merchant, CARDS.amex))
    const { session_id, session_token } = await createEnrollment(merchant)
    const refused = await cardholder(service, session_token).enterCard(CARDS.success)
    expectError(refused, 400, 'CARD_REFUSED')
    expect(refused.body.error.details).toEqual({ reason: 'CARD_DECLINED' })
    const { body } = await merchant.get(`/v1/sessions/${session_id}/status`)
    expect(body).toMatchObject({ status: 'failed', error: { code: 'BIN_ISSUER_NOT_ALLOWED', retryable: false } })
    const payment = await createSession(merchant)
    expectError(await cardholder(service, payment.session_token).enterCard(CARDS.success), 400, 'CARD_REFUSED')
  })

  test('rules are taken back, and strange ones are not set', async () => {
    const merchant = await merchantThatTakes(['DE'])
    expectError(await provision(merchant, CARDS.success), 400, 'BIN_COUNTRY_NOT_ALLOWED')
    const set = (countries: string[] | null, issuers: string[] | null = null) =>
      service.app.merchants.setCardRules(merchant.merchantId, { countries, issuers })
    await expect(set(['Germany'])).rejects.toMatchObject({
      code: 'VAL_2001',
      details: { countries: expect.any(String) },
    })
    await expect(set(null, [' '])).rejects.toMatchObject({ code: 'VAL_2001' })
    expect(await set(null)).toMatchObject({ cardCountries: null, cardIssuers: null })
    expectCreated(await provision(merchant, CARDS.success))
    await expect(service.app.merchants.setCardRules('ma_none', only(null))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('in production nothing is known of any card before a table is imported', async () => {
    expect(await bins('production').judge(only(['US']), '42424242')).toBe('BIN_COUNTRY_NOT_ALLOWED')
    expect(await bins('production').judge(only(null), '42424242')).toBeNull()
  })
})

describe('a table that is imported', () => {
  const country = async (bin: string) => {
    for (const each of ['FR', 'US', 'DE']) if ((await bins().judge(only([each]), bin)) === null) return each
    return null
  }

  test('takes the place of the one before, as a whole', async () => {
    const seen: number[] = []
    const head = 'bin,Bank,country_code,type'
    const many = Array.from({ length: 12_000 }, (_, index) => `${50_000_000 + index},"A ""Big"", Bank",fr,debit`)
    const imported = await bins().importTable(lines(head, ...many, '424242,Bank,US,credit', ''), (count) =>
      seen.push(count),
    )
    expect(imported).toEqual({ ranges: 12_001 })
    expect(seen).toEqual([5_000, 10_000, 12_001])
    expect(await bins().judge(only(['FR'], ['a "big", bank']), '50011999')).toBeNull()
    expect(await country('50012000')).toBeNull()
    // All that begin with 424242, and nothing of the sandbox's own table.
    expect(await country('42424299')).toBe('US')
    expect(await country('42424300')).toBeNull()
    expect(await country('55555555')).toBeNull()
    await importing('first,last,country', '40000000,49999999,DE')
    expect([await country('42424242'), await country('50000000')]).toEqual(['DE', null])
    const { rows } = await service.pool.query('select count(*)::int as count from bin_ranges')
    expect(rows).toEqual([{ count: 1 }])
  })

  test('keeps its columns where the first cell of a line is empty', async () => {
    await importing('issuer,first,last,country', ',41110000,41119999,FR', 'Bank,4200,"",US')
    expect([await country('41115555'), await country('42001234')]).toEqual(['FR', 'US'])
    expect(await bins().judge(only(null, ['Bank']), '41115555')).toBe('BIN_ISSUER_NOT_ALLOWED')
    await importing('issuer,first,last', ',41110000,41119999')
    const { rows } = await service.pool.query('select first_bin, last_bin, issuer from bin_ranges')
    expect(rows).toEqual([{ first_bin: 41_110_000, last_bin: 41_119_999, issuer: null }])
  })

  test.each([
    ['no head', ['424242,US'], 'its head names no column'],
    ['nothing', ['bin,country'], 'it has no ranges'],
    ['a number that is none', ['bin,country', '4242x,US'], 'line 2: a number must have 4 to 8 digits'],
    ['a country that is none', ['bin,country', '424242,US', '424243,XX'], 'line 3: the country is none'],
    ['an end before the beginning', ['first,last,country', '4300,4200,US'], 'the last number is below the first'],
    ['a number twice', ['bin,country', '424242,US', '424242,DE'], 'two ranges begin with the same number'],
    ['ranges over each other', ['first,last,country', '4200,4300,US', '425000,425099,DE'], 'reaches into the next one'],
  ])('with %s changes nothing', async (_, text, problem) => {
    await importing('first,last,country', '40000000,49999999,DE')
    await expect(importing(...text)).rejects.toMatchObject({
      code: 'VAL_2001',
      details: { table: expect.stringContaining(problem) },
    })
    expect(await country('42424242')).toBe('DE')
  })

  test('that is broken off changes nothing, and the next one clears it away', async () => {
    await importing('first,last,country', '40000000,49999999,DE')
    async function* broken() {
      yield 'bin,country'
      for (let bin = 40_000_000; bin < 40_005_000; bin += 1) yield `${bin},FR`
      throw new Error('the file ended')
    }
    await expect(bins().importTable(broken(), () => {})).rejects.toThrow('the file ended')
    expect(await country('40000001')).toBe('DE')
    await importing('bin,country', '4000,US')
    const { rows } = await service.pool.query('select count(*)::int as count from bin_ranges')
    expect(rows).toEqual([{ count: 1 }])
  })
})
