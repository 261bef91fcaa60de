import type { Product } from './products.ts'

/** What is drawn in the middle, in a field of 240 by 240. Colours come from the product. */
const SHAPES = {
  cup: '<path d="M70 85h90v65a30 30 0 0 1-30 30h-30a30 30 0 0 1-30-30z"/><path class="line" d="M160 100h14a20 20 0 0 1 0 44h-14"/>',
  bowl: '<path d="M45 105h150a75 75 0 0 1-150 0z"/><path d="M90 180h60v12H90z"/>',
  tool: '<path d="M40 132h95l60-26c-6 36-32 50-60 50H40z"/><path class="dark" d="M40 132h62v24H40z"/>',
  bottle:
    '<path d="M104 45h32v32l18 26v82a12 12 0 0 1-12 12H98a12 12 0 0 1-12-12v-82l18-26z"/><path class="dark" d="M104 45h32v18h-32z"/>',
  box: '<path d="m120 50 72 34v76l-72 34-72-34V84z"/><path class="dark" d="m120 118 72-34v76l-72 34z"/><path class="line" d="m48 84 72 34 72-34M120 118v76"/>',
  shirt: '<path d="m88 55 32 16 32-16 42 26-16 34-20-8v84H82v-84l-20 8-16-34z"/><path class="line" d="M120 71v120"/>',
  sock: '<path d="M98 45h50v82l38 22a22 22 0 0 1-14 41c-34 0-74-22-74-46z"/><path class="dark" d="M98 45h50v20H98z"/>',
  blanket:
    '<path d="M55 70h130v92H55z"/><path class="dark" d="M55 92h130v12H55zM55 128h130v12H55z"/><path class="line" d="M62 162v14M86 162v14M110 162v14M134 162v14M158 162v14M178 162v14"/>',
  bag: '<path d="M62 96h116l10 92a10 10 0 0 1-10 10H62a10 10 0 0 1-10-10z"/><path class="line" d="M88 112V84a32 32 0 0 1 64 0v28"/>',
  lamp: '<path d="m96 50 70 30-34 44-58-26z"/><path class="line" d="m104 108 34 46-28 40"/><path class="dark" d="M74 190h84v12H74z"/>',
  pen: '<path d="m158 48 30 30-96 96-42 12 12-42z"/><path class="dark" d="m62 144 30 30-42 12z"/>',
  book: '<path d="M64 48h104a8 8 0 0 1 8 8v136H76a12 12 0 0 1-12-12z"/><path class="dark" d="M64 48h18v144h-6a12 12 0 0 1-12-12z"/><path class="line" d="M100 84h54M100 102h36"/>',
  plant:
    '<path class="dark" d="M86 142h68l-9 54H95z"/><path d="M120 142c-42-6-58-38-54-76 32 4 54 26 54 76zM120 142c0-44 18-70 56-80 6 42-14 74-56 80z"/>',
} as const
export type Shape = keyof typeof SHAPES

/** A calm picture of a product: one shape on a ground of a lighter tone. Drawn when asked for. */
export function pictureOf({ shape, hue, title }: Pick<Product, 'shape' | 'hue' | 'title'>): string {
  const tone = (saturation: number, lightness: number) => `hsl(${hue} ${saturation}% ${lightness}%)`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 240" width="480" height="480" role="img" aria-label="${escapeText(title)}">
<style>path{fill:${tone(34, 52)}}.dark{fill:${tone(38, 38)}}.line{fill:none;stroke:${tone(38, 34)};stroke-width:7;stroke-linecap:round;stroke-linejoin:round}</style>
<rect width="240" height="240" fill="${tone(36, 93)}"/><ellipse cx="120" cy="206" rx="74" ry="9" fill="${tone(26, 84)}"/>
${SHAPES[shape]}
</svg>
`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeText = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
