// Guarantee: a session of the protocol shows what is bought, where to, and what it costs, until it is paid or over.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestShop, type TestShop } from '../world.ts'
import { ADDRESS, acpClient, MUG, SESSIONS, totalOf } from './world.ts'

let shop: TestShop
let now: Date
beforeEach(async () => {
  now = new Date('2026-11-22T10:00:00Z')
  shop = await startTestShop({ now: () => now, slowMillis: 300, acquirerTimeoutMillis: 1_500 })
})
afterEach(() => shop?.close())
const { call, created, tokenFor, complete, retrieve } = acpClient(() => shop)

describe('a session', () => {
  test('is created ready, with lines, options and totals that add up', async () => {
    const session = await created([MUG, MUG, 'linen-shirt.navy-m'])
    expect(session).toMatchObject({
      status: 'ready_for_payment',
      currency: 'usd',
      messages: [],
      buyer: { email: 'ada@example.com' },
    })
    expect(session.line_items).toMatchObject([
      { item: { id: MUG }, quantity: 2, unit_amount: 18_00, product_id: 'stoneware-mug' },
      { item: { id: 'linen-shirt.navy-m' }, quantity: 1, unit_amount: 78_00 },
    ])
    expect(session.fulfillment_options.map(({ id }: { id: string }) => id)).toEqual(['standard', 'express'])
    expect(session.selected_fulfillment_options[0].option_id).toBe('standard')
    const sum =
      totalOf(session, 'items_base_amount') -
      totalOf(session, 'discount') +
      totalOf(session, 'fulfillment') +
      totalOf(session, 'tax')
    expect([totalOf(session), totalOf(session, 'items_base_amount')]).toEqual([sum, 114_00])
    expect(await retrieve(session)).toEqual(session)
  })

  test('costs what the shop’s own API says', async () => {
    const session = await created([MUG, MUG])
    const address = {
      name: 'Ada',
      address: '12 Main Street',
      city: 'San Francisco',
      state: 'CA',
      postal_code: '94131',
      country: 'US',
    }
    const quote = await shop.call('PUT', '/api/quotes/qte_1', {
      items: [{ variant_id: MUG, quantity: 2 }],
      shipping_address: address,
    })
    expect((totalOf(session) / 100).toFixed(2)).toBe(quote.body.total)
  })

  test('is updated: items, address, option', async () => {
    const session = await created([MUG])
    const express = [{ type: 'shipping', option_id: 'express', item_ids: [MUG] }]
    const faster = (await call(`${SESSIONS}/${session.id}`, { selected_fulfillment_options: express })).body
    expect(totalOf(faster) - totalOf(session)).toBe(12_00)
    const more = (await call(`${SESSIONS}/${session.id}`, { line_items: [{ id: MUG }, { id: MUG }] })).body
    expect(more.line_items[0].quantity).toBe(2)
    expect(more.selected_fulfillment_options[0].option_id).toBe('express')
    const german = { ...ADDRESS, country: 'DE', state: '' }
    const there = (await call(`${SESSIONS}/${session.id}`, { fulfillment_details: { address: german } })).body
    expect(totalOf(there, 'fulfillment')).toBe(28_45)
    const nowhere = { ...ADDRESS, country: 'AQ' }
    const away = (await call(`${SESSIONS}/${session.id}`, { fulfillment_details: { address: nowhere } })).body
    expect(away).toMatchObject({
      status: 'not_ready_for_payment',
      messages: [{ code: 'region_restricted' }],
      fulfillment_options: [],
    })
  })

  test('without an address is collected at the shop; what weighs nothing is a file', async () => {
    expect(await created([MUG], null)).toMatchObject({
      status: 'ready_for_payment',
      fulfillment_options: [{ type: 'pickup' }],
    })
    expect(await created(['tide-stories.e-book'])).toMatchObject({ fulfillment_options: [{ type: 'digital' }] })
  })

  test('asks for a unit where the building has many', async () => {
    const { messages } = await created([MUG], { ...ADDRESS, line_one: '500 Harbor Towers' })
    expect(messages).toMatchObject([{ type: 'info', param: '$.fulfillment_details.address.line_two' }])
    const session = await created([MUG], { ...ADDRESS, line_one: '500 Harbor Towers', line_two: 'Apt 4' })
    expect(session.messages).toEqual([])
  })

  test('expires, and an update revives it', async () => {
    const session = await created()
    const token = await tokenFor(session)
    now = new Date(now.getTime() + 3_600_000)
    expect((await retrieve(session)).status).toBe('expired')
    expect(await complete(session, token)).toMatchObject({ status: 409, body: { code: 'expired' } })
    expect((await call(`${SESSIONS}/${session.id}`, {})).body.status).toBe('ready_for_payment')
    expect((await complete(session, token)).body.status).toBe('completed')
  })

  test('is canceled once', async () => {
    const session = await created()
    expect((await call(`${SESSIONS}/${session.id}/cancel`, {})).body.status).toBe('canceled')
    expect(await call(`${SESSIONS}/${session.id}/cancel`, {})).toMatchObject({
      status: 405,
      body: { code: 'not_cancelable' },
    })
    expect(await complete(session)).toMatchObject({ status: 409, body: { code: 'canceled' } })
    expect(await call(`${SESSIONS}/${session.id}`, {})).toMatchObject({ status: 409, body: { code: 'conflict' } })
  })
})
