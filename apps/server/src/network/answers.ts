import { isRecord } from '../platform/json.ts'
import { Secret } from '../platform/secret.ts'
import { DECLINE_REASONS, type DeclineReason, type NetworkAnswer, RELEASE_STATES, STANDINGS } from './port.ts'

export function ok<T>(value: T): NetworkAnswer<T> {
  return { outcome: 'ok', value }
}

export function declined<T>(reason: DeclineReason): NetworkAnswer<T> {
  return { outcome: 'declined', reason }
}

export function wrongCode<T>(triesLeft?: number): NetworkAnswer<T> {
  const answer = { outcome: 'declined', reason: 'STEP_UP_CODE_WRONG' } as const
  return triesLeft === undefined ? answer : { ...answer, triesLeft }
}

/**
 * Shape checks of what a network returns. An adapter's types are a promise about another system's data; an answer that
 * breaks it is `unknown`, because taking it for an approval or a refusal could lose or double a charge.
 */
export type ShapeCheck = (value: unknown) => boolean

const REFERENCE = /^[\x21-\x7e]{1,200}$/
const REASONS: ReadonlySet<unknown> = new Set(DECLINE_REASONS)

/** A whole answer whose `ok` value passes `check`. */
export function isAnswer(answer: unknown, check: ShapeCheck): boolean {
  if (!isRecord(answer)) return false
  switch (answer.outcome) {
    case 'ok':
      return check(answer.value)
    case 'declined':
      return REASONS.has(answer.reason) && (answer.triesLeft === undefined || isCount(answer.triesLeft))
    case 'unknown':
      return typeof answer.cause === 'string'
    default:
      return false
  }
}

/** The tries that are left. None left is a reason of its own. */
function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0
}

function isTime(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime())
}

export const isEmptyValue: ShapeCheck = isRecord

export const isTokenValue: ShapeCheck = (value) =>
  isRecord(value) &&
  isReference(value.tokenRef) &&
  (value.design === null || isDesign(value.design)) &&
  (value.made === undefined || isMade(value.made))

function isMade(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { last4, brand, expMonth, expYear } = value
  const isBrand = brand === null || (typeof brand === 'string' && /^[a-z][a-z-]{0,30}$/.test(brand))
  const isMonth = Number.isInteger(expMonth) && Number(expMonth) >= 1 && Number(expMonth) <= 12
  return typeof last4 === 'string' && /^\d{4}$/.test(last4) && isBrand && isMonth && Number.isInteger(expYear)
}

const COLOUR = /^#[0-9a-f]{6}$/

/** Colours go into a drawing: nothing else may. */
function isDesign(value: unknown): boolean {
  const isColour = (colour: unknown) => typeof colour === 'string' && COLOUR.test(colour)
  return isRecord(value) && [value.background, value.foreground, value.label].every(isColour)
}

export const isInstructionValue: ShapeCheck = (value) =>
  isRecord(value) && isReference(value.instructionRef) && isTime(value.registeredAt)

export const isProvisionValue: ShapeCheck = (value) => {
  if (!isRecord(value)) return false
  if (value.state === 'step_up') return typeof value.hint === 'string'
  return value.state === 'provisioned' && isTokenValue(value)
}

export const isCredentialValue: ShapeCheck = (value) =>
  isRecord(value) &&
  isSecretDigits(value.token, /^\d{12,19}$/) &&
  isSecretDigits(value.dynamicCvv, /^\d{3,4}$/) &&
  typeof value.expiryMonth === 'string' &&
  /^(0[1-9]|1[0-2])$/.test(value.expiryMonth) &&
  typeof value.expiryYear === 'string' &&
  /^\d{4}$/.test(value.expiryYear) &&
  isTime(value.validUntil)

const STANDING_SET: ReadonlySet<unknown> = new Set(STANDINGS)
export const isStandingValue: ShapeCheck = (value) => isRecord(value) && STANDING_SET.has(value.state)

export const isInquiryValue: ShapeCheck = (value) => {
  if (!isRecord(value)) return false
  switch (value.state) {
    case 'minted':
      return isCredentialValue(value.credential)
    case 'declined':
      return REASONS.has(value.reason)
    default:
      return ['not_found', 'returned', 'lost'].some((state) => state === value.state)
  }
}

export const isReleaseValue: ShapeCheck = (value) =>
  isRecord(value) && RELEASE_STATES.some((state) => state === value.state)

function isReference(value: unknown): boolean {
  return typeof value === 'string' && REFERENCE.test(value)
}

function isSecretDigits(value: unknown, shape: RegExp): boolean {
  if (!(value instanceof Secret)) return false
  const revealed: unknown = value.reveal()
  return typeof revealed === 'string' && shape.test(revealed)
}
