/** A DEVELOPMENT TOOL: pictures beside each other in one, small enough to be kept by the hundred. */
import type { Browser } from 'playwright-core'

export interface Tile {
  png: string
  /** How large it stands there. */
  scale: number
  width: number
  height: number
}

const QUALITY = 0.18
const GAP = 10
const GROUND = '#9aa5a0'

interface Placed {
  src: string
  x: number
  y: number
  width: number
  height: number
}

/** Rows of pictures as a WebP, which the browser itself makes. */
export async function drawSheet(browser: Browser, rows: readonly (readonly Tile[])[]): Promise<Buffer> {
  const placed: Placed[] = []
  let [y, wide] = [GAP, 0]
  for (const row of rows) {
    let x = GAP
    for (const { png, width, height, scale } of row) {
      placed.push({ src: `data:image/png;base64,${png}`, x, y, width: width * scale, height: height * scale })
      x += width * scale + GAP
    }
    wide = Math.max(wide, x)
    y += Math.max(...row.map(({ height, scale }) => height * scale)) + GAP
  }
  const page = await browser.newPage()
  try {
    const drawn = await page.evaluate(draw, { placed, width: wide, height: y, ground: GROUND, quality: QUALITY })
    return Buffer.from(drawn, 'base64')
  } finally {
    await page.close()
  }
}

interface Drawing {
  placed: Placed[]
  width: number
  height: number
  ground: string
  quality: number
}

/** Runs in the page. */
async function draw({ placed, width, height, ground, quality }: Drawing): Promise<string> {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('There is no canvas.')
  pen.fillStyle = ground
  pen.fillRect(0, 0, width, height)
  pen.imageSmoothingQuality = 'high'
  for (const { src, x, y, ...size } of placed) {
    const image = new Image()
    image.src = src
    await image.decode()
    pen.drawImage(image, x, y, size.width, size.height)
  }
  return canvas.toDataURL('image/webp', quality).replace(/^.*,/, '')
}
