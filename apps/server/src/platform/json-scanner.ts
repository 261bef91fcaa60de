/** What is wrong with a JSON text, and where (`a.b[2].c`; `body` for the whole). */
interface JsonProblem {
  path: string
  message: string
}

/** Deep enough for every request of this API, shallow enough for every recursive reader behind it. */
export const MAX_DEPTH = 32

const POLLUTING_KEYS = new Set(['__proto__', 'constructor', 'prototype'])
const MAX_SEGMENT_LENGTH = 64

/** An open object (`keys` holds what it has so far) or array (`keys` is null). */
interface Frame {
  keys: Set<string> | null
  key: string
  index: number
  expectsKey: boolean
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Finds what `JSON.parse` would let through: a key given twice (the last would win silently), keys that reach prototypes,
 * deep nesting, U+0000 (PostgreSQL refuses it) and lone surrogates (two different ids would become one in UTF-8).
 *
 * One pass, no recursion. It judges valid JSON exactly; text that is not valid JSON may pass here and fails in
 * `JSON.parse` right after.
 */
export function findJsonProblem(text: string): JsonProblem | null {
  const frames: Frame[] = []
  let frame: Frame | undefined
  let nextBackslash = text.indexOf('\\')
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        if (nextBackslash !== -1 && nextBackslash < at) nextBackslash = text.indexOf('\\', at)
        const end = closingQuote(text, at, nextBackslash)
        if (end === -1) return { path: 'body', message: 'is not valid JSON' }
        const escaped = nextBackslash !== -1 && nextBackslash < end
        const message = checkString(text, at, end, escaped, frame)
        if (message !== null) return { path: pathOf(frames), message }
        at = end
        break
      }
      case 0x7b: // {
      case 0x5b: // [
        if (frames.length === MAX_DEPTH)
          return { path: pathOf(frames), message: `is nested deeper than ${MAX_DEPTH} levels` }
        frame = openFrame(text.charCodeAt(at) === 0x7b)
        frames.push(frame)
        break
      case 0x7d: // }
      case 0x5d: // ]
        frames.pop()
        frame = frames.at(-1)
        break
      case 0x2c: // ,
        if (frame?.keys) frame.expectsKey = true
        else if (frame) frame.index += 1
        break
      default:
    }
  }
  return null
}

function openFrame(isObject: boolean): Frame {
  return { keys: isObject ? new Set() : null, key: '', index: 0, expectsKey: isObject }
}

/** The quote that ends the string opened at `start`, or -1. `indexOf` does the walking while there is no backslash. */
function closingQuote(text: string, start: number, nextBackslash: number): number {
  const quote = text.indexOf('"', start + 1)
  if (nextBackslash === -1 || quote < nextBackslash) return quote
  for (let at = nextBackslash; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) return at
    if (char === BACKSLASH) at += 1
  }
  return -1
}

/** Judges a key or a value; a key becomes the frame's current one, so that the path names it. */
function checkString(
  text: string,
  start: number,
  end: number,
  escaped: boolean,
  frame: Frame | undefined,
): string | null {
  const isKey = frame?.expectsKey === true
  const message = escaped ? checkEscapes(text, start + 1, end) : null
  if (frame === undefined || !isKey) return message
  const key = escaped ? decodeKey(text.slice(start, end + 1)) : text.slice(start + 1, end)
  if (key === null) return 'has a key that is not valid JSON'
  frame.key = key
  frame.expectsKey = false
  if (message !== null) return message
  if (POLLUTING_KEYS.has(key)) return 'is not an allowed key'
  if (frame.keys?.has(key)) return 'is given twice'
  frame.keys?.add(key)
  return null
}

/** Raw control characters and raw lone surrogates cannot occur: `JSON.parse` and the UTF-8 check refuse them. */
function checkEscapes(text: string, start: number, end: number): string | null {
  for (let at = text.indexOf('\\', start); at !== -1 && at < end; at = text.indexOf('\\', at)) {
    if (text[at + 1] !== 'u') {
      at += 2
      continue
    }
    const unit = Number.parseInt(text.slice(at + 2, at + 6), 16)
    if (unit === 0) return 'must not contain U+0000'
    at += 6
    if (!(unit >= 0xd800 && unit <= 0xdfff)) continue
    const next = text.startsWith('\\u', at) ? Number.parseInt(text.slice(at + 2, at + 6), 16) : 0
    if (unit >= 0xdc00 || !(next >= 0xdc00 && next <= 0xdfff)) return 'must not contain half of a surrogate pair'
    at += 6
  }
  return null
}

function decodeKey(literal: string): string | null {
  try {
    return String(JSON.parse(literal))
  } catch {
    return null
  }
}

function pathOf(frames: readonly Frame[]): string {
  let path = ''
  for (const frame of frames) {
    if (frame.keys === null) path += `[${frame.index}]`
    else if (frame.key !== '') path += `${path === '' ? '' : '.'}${frame.key.slice(0, MAX_SEGMENT_LENGTH)}`
  }
  return path === '' ? 'body' : path
}
