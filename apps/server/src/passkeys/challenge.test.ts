import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../platform/canonical-json.ts'
import { bindChallenge, newNonce, registrationText } from './challenge.ts'

// Guarantee: different texts have different challenges.

describe('the challenge', () => {
  const terms = {
    payee: 'Shop',
    amount: '40.00',
    currency: 'USD',
    card_last4: '4242',
    until: '2026-11-21T12:15:00.000Z',
  }
  const nonce = newNonce()
  const challenge = bindChallenge(nonce, canonicalJson(terms))

  it('is 32 bytes of base64url and the same for the same nonce and terms', () => {
    expect(challenge).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(bindChallenge(nonce, canonicalJson({ ...terms }))).toBe(challenge)
  })

  it.each(Object.keys(terms))('changes when %s changes', (name) => {
    expect(bindChallenge(nonce, canonicalJson({ ...terms, [name]: 'other' }))).not.toBe(challenge)
  })

  it('changes with the nonce', () => {
    expect(bindChallenge(newNonce(), canonicalJson(terms))).not.toBe(challenge)
  })

  it('of a registration changes with merchant, session and customer', () => {
    const scope = { merchantId: 'a', subject: { type: 'session', id: 'b' }, customerId: 'c' } as const
    const otherSubject = { ...scope, subject: { ...scope.subject, id: 'x' } }
    const texts = [scope, { ...scope, merchantId: 'x' }, otherSubject, { ...scope, customerId: 'x' }]
    expect(new Set(texts.map((one) => bindChallenge(nonce, registrationText(one)))).size).toBe(4)
  })
})
