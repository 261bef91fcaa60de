import { ERROR_CODES } from '@mintmark/contract/errors'
import { CARD_REFUSALS, PASSKEY_REFUSALS, SURFACE_ERROR_CODES } from '@mintmark/contract/surface'
import { describe, expect, it } from 'vitest'
import { Refusal, reasonText, ruleFor } from './errors.ts'

// Guarantee: the page has words of its own for every refusal, and never shows the envelope's message.

const MESSAGE = 'For developers.'
const refusal = (code: string, status: number, details: Record<string, string> = {}) =>
  new Refusal({ code, status, message: MESSAGE, details, reference: null, retryAfterSeconds: null })

describe('errors', () => {
  it('every code of the contract has words', () => {
    for (const [code, { status }] of Object.entries(ERROR_CODES)) {
      const { text } = ruleFor(refusal(code, status))
      expect(text, code).toMatch(/^[A-Z].+\.$/)
      expect(text, code).not.toContain(MESSAGE)
    }
  })

  it('every reason of a refused card or passkey has words of its own', () => {
    const reasons = [
      ...CARD_REFUSALS.map((reason) => refusal('CARD_REFUSED', 400, { reason })),
      ...PASSKEY_REFUSALS.map((reason) => refusal('PASSKEY_FAILED', 400, { reason })),
    ]
    for (const refused of reasons) {
      const { reaction, text } = ruleFor(refused)
      const general = ruleFor(refusal(refused.code, 400))
      expect(text, refused.details.reason).toMatch(/^[A-Z].+\.$/)
      expect(text, refused.details.reason).not.toBe(general.text)
      expect(reaction).toBe(general.reaction)
      expect(reasonText(refused)).toBe(text)
    }
  })

  it('nobody is asked to check what they entered after a passkey, whichever part of its answer could not be read', () => {
    const failed = ruleFor(refusal('PASSKEY_FAILED', 400))
    for (const path of ['response', 'response.id', 'response.response.userHandle', 'response.response.signature']) {
      expect(ruleFor(refusal('VAL_2001', 400, { [path]: 'is missing or malformed' })), path).toEqual(failed)
    }
    for (const path of ['card_number', 'responses', 'adjust.amount', '']) {
      expect(ruleFor(refusal('VAL_2001', 400, { [path]: 'is missing' })).reaction, path).toBe('field')
    }
  })

  it('a passkey that its device has changed has a way out in its words', () => {
    const { text } = ruleFor(refusal('PASSKEY_FAILED', 400, { reason: 'PASSKEY_CHANGED' }))
    expect(text).toMatch(/Ask the merchant: they can let you create a new one/)
  })

  it.each(['NEW_REASON', 'toString', 'CARD_DECLINED ', ''])('%j is no reason, so the general words stay', (reason) => {
    expect(ruleFor(refusal('CARD_REFUSED', 400, { reason }))).toEqual(ruleFor(refusal('CARD_REFUSED', 400)))
    expect(ruleFor(refusal('PASSKEY_FAILED', 400, { reason }))).toEqual(ruleFor(refusal('PASSKEY_FAILED', 400)))
  })

  it('no try is offered at a merchant whose account is suspended, and the fault is not called ours', () => {
    const { reaction, text } = ruleFor(refusal('MERCHANT_LOOKUP_ERROR', 500))
    expect(reaction).toBe('stop')
    expect(text).toMatch(/^This merchant takes no payments/)
  })

  it('a reason belongs to its code', () => {
    for (const code of SURFACE_ERROR_CODES.filter((code) => code !== 'CARD_REFUSED')) {
      expect(ruleFor(refusal(code, 400, { reason: 'CVV_MISMATCH' })), code).toEqual(ruleFor(refusal(code, 400)))
    }
  })

  it('a code of a later version is told by its status', () => {
    expect(ruleFor(refusal('NEW', 503)).reaction).toBe('retry')
    expect(ruleFor(refusal('NEW', 429)).reaction).toBe('wait')
    expect(ruleFor(refusal('NEW', 409)).reaction).toBe('stop')
    expect(ruleFor(refusal('toString', 409)).reaction).toBe('stop')
  })
})
