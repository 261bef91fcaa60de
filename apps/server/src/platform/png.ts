import { convertIndexedToRgb, type DecodedPng, decode, encode, hasPngSignature, type ImageData } from 'fast-png'

/** Without what goes beside the pixels. */
function pixelsOf(decoded: DecodedPng): ImageData {
  const { width, height, data, depth, channels, palette, transparency } = decoded
  if (palette === undefined) return { width, height, data, depth, channels, ...(transparency && { transparency }) }
  const pixels = convertIndexedToRgb(decoded)
  return { width, height, data: pixels, depth: 8, channels: pixels.length / (width * height) }
}

/** A logo needs no more, and what is decoded has a bound. */
const MAX_PNG_BYTES = 131_072
const MAX_PNG_SIDE = 1_024
/** Pixels that its palette folded may take more room. */
const MAX_ENCODED_BYTES = 524_288

/**
 * The same picture and nothing else: decoded and encoded anew, so that no text, no other format and no trailing bytes come along. Returns
 * what is wrong with it, in words that complete "The image …".
 */
export function cleanPng(given: Uint8Array): { bytes: Buffer } | { problem: string } {
  if (given.length > MAX_PNG_BYTES) return { problem: `is larger than ${MAX_PNG_BYTES / 1024} KB` }
  if (!hasPngSignature(given)) return { problem: 'is no PNG' }
  // Known before anything is decoded: the header is the first of its parts.
  const view = new DataView(given.buffer, given.byteOffset, given.byteLength)
  const [width, height] = given.length < 33 ? [0, 0] : [view.getUint32(16), view.getUint32(20)]
  if (width < 1 || height < 1) return { problem: 'is a PNG that is damaged' }
  if (width > MAX_PNG_SIDE || height > MAX_PNG_SIDE)
    return { problem: `is more than ${MAX_PNG_SIDE} pixels wide or high` }
  try {
    const bytes = Buffer.from(encode(pixelsOf(decode(given, { checkCrc: true }))))
    return bytes.length > MAX_ENCODED_BYTES ? { problem: 'has too many different pixels for a logo' } : { bytes }
  } catch {
    return { problem: 'is a PNG that is damaged' }
  }
}
