import { expect } from 'vitest'
import { CARDS, complete, createSession, dbRow, eventBodies } from '../../../test/flows.ts'
import type { TestMerchant, TestService } from '../../../test/service.ts'

// Enrolled cards and what is asked about them, for tests of their list and their deletion.

/** A card of this user, entered and accepted; no passkey is made. */
export async function enrollCard(
  service: TestService,
  merchant: TestMerchant,
  user: string,
  card_number: string = CARDS.success,
): Promise<string> {
  const { session_id } = await createSession(merchant, { user_id: user, user_email: `${user}@example.com` })
  const stopped = await complete(merchant, session_id, { card_number, stop_after: 'card' })
  expect(stopped.status, JSON.stringify(stopped.body)).toBe(200)
  return (await dbRow(service, 'select card_id from sessions where id = $1', [session_id])).card_id
}

export const listCards = (merchant: TestMerchant, query: Record<string, string>) =>
  merchant.get(`/v1/listCards?${new URLSearchParams(query)}`)

/** `id status`, and a star at the default one. */
export async function cardsOf(merchant: TestMerchant, customer_id: string): Promise<string[]> {
  const { body } = await listCards(merchant, { customer_id, status: 'all' })
  return body.cards.map(
    (card: { card_id: string; status: string; is_default: boolean }) =>
      `${card.card_id} ${card.status}${card.is_default ? '*' : ''}`,
  )
}

export const deleteCard = (merchant: TestMerchant, customer_id: string, card_id: string, changes: object = {}) =>
  merchant.post('/v1/deleteCard', { customer_id, card_id, ...changes })

/** The events of a resource, as their readers get them. */
export async function eventsAbout(service: TestService, id: string) {
  return (await eventBodies(service, id)).map((body) => JSON.parse(body))
}
