import { type BrandedNames, brandedNames } from '@mintmark/contract'
import { describe, expect, test } from 'vitest'
import { declareError, fieldErrors, notFound, type PublicError } from '../platform/errors.ts'
import { PLAIN_ENVELOPE } from './envelope.ts'
import { publicErrorFrom } from './error-response.ts'

const envelope = (error: PublicError, brand: BrandedNames) => PLAIN_ENVELOPE.error(error, brand, 'id')
const failing = (message: string, properties: object = {}) => Object.assign(new Error(message), properties)

describe('what was thrown → what is shown', () => {
  const declared = notFound()
  const cases: [string, unknown, number, string][] = [
    ['a declared error', declared, 404, 'NOT_FOUND'],
    ['connection refused', failing('connect ECONNREFUSED', { code: 'ECONNREFUSED' }), 503, 'SERVICE_UNAVAILABLE'],
    ['no socket file', failing('x', { code: 'ENOENT', syscall: 'connect' }), 503, 'SERVICE_UNAVAILABLE'],
    ['server stopping', failing('x', { code: '57P01' }), 503, 'SERVICE_UNAVAILABLE'],
    ['server starting', failing('x', { code: '57P03' }), 503, 'SERVICE_UNAVAILABLE'],
    ['too many connections', failing('x', { code: '53300' }), 503, 'SERVICE_UNAVAILABLE'],
    ['read-only', failing('x', { code: '25006' }), 503, 'SERVICE_UNAVAILABLE'],
    ['lock timeout', failing('x', { code: '55P03' }), 503, 'SERVICE_UNAVAILABLE'],
    ['pool full', failing('timeout exceeded when trying to connect'), 503, 'SERVICE_UNAVAILABLE'],
    ['connection lost', failing('Connection terminated unexpectedly'), 503, 'SERVICE_UNAVAILABLE'],
    ['no answer', failing('Query read timeout'), 503, 'SERVICE_UNAVAILABLE'],
    ['a missing file', failing('x', { code: 'ENOENT', syscall: 'open' }), 500, 'INTERNAL_ERROR'],
    ['a unique violation nobody mapped', failing('x', { code: '23505' }), 500, 'INTERNAL_ERROR'],
    ['a status of its own', failing('x', { statusCode: 404 }), 500, 'INTERNAL_ERROR'],
    ['an unknown framework error', failing('x', { code: 'FST_ERR_NEW', statusCode: 400 }), 500, 'INTERNAL_ERROR'],
    ['a body too large', failing('x', { code: 'FST_ERR_CTP_BODY_TOO_LARGE' }), 413, 'VAL_2001'],
    ['a string', 'boom', 500, 'INTERNAL_ERROR'],
    ['nothing', undefined, 500, 'INTERNAL_ERROR'],
  ]
  test.each(cases)('%s', (_what, thrown, status, code) => {
    const shown = publicErrorFrom(thrown)
    expect({ status: shown.status, code: shown.code }).toEqual({ status, code })
    if (status === 503) expect(shown.retryAfterSeconds).toBeGreaterThan(0)
    if (thrown !== declared) expect(envelope(shown, brandedNames('network'))).not.toMatch(/boom|ECONN|connect|"x"/)
  })
})

test('the envelope has details only where fields failed, and the brand in the code', () => {
  const brand = brandedNames('acme')
  expect(JSON.parse(envelope(notFound(), brand))).toEqual({
    error: { code: 'NOT_FOUND', message: 'No such resource.' },
  })
  expect(JSON.parse(envelope(fieldErrors({ a: 'is required' }), brand)).error.details).toEqual({ a: 'is required' })
  const failed = declareError('NETWORK_CONFIRMATION_FAILED', 'No.')()
  expect(JSON.parse(envelope(failed, brand)).error.code).toBe('ACME_CONFIRMATION_FAILED')
})
