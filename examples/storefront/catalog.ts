/** What the shop sells. Prices live here, on the server: a browser says what it wants, never what it costs. */
export interface Product {
  id: string
  name: string
  note: string
  /** In hundredths of a dollar. */
  price: number
  hue: number
}

export const CATALOG: readonly Product[] = [
  { id: 'sencha', name: 'Sencha, first flush', note: 'Green, 100 g', price: 1450, hue: 140 },
  { id: 'assam', name: 'Assam, second flush', note: 'Black, 100 g', price: 1190, hue: 18 },
  { id: 'oolong', name: 'Iron Goddess oolong', note: 'Half-oxidised, 50 g', price: 1860, hue: 45 },
  { id: 'rooibos', name: 'Rooibos, wild', note: 'No caffeine, 150 g', price: 980, hue: 2 },
]

export interface CartLine {
  product: Product
  quantity: number
}

/** The cart a browser asked for, or what is wrong with it. */
export function readCart(input: unknown): CartLine[] | string {
  if (!Array.isArray(input) || input.length === 0) return 'The cart is empty.'
  const lines: CartLine[] = []
  for (const entry of input as { id?: unknown; quantity?: unknown }[]) {
    const product = CATALOG.find(({ id }) => id === entry?.id)
    const quantity = entry?.quantity
    if (product === undefined) return 'The cart holds something the shop does not sell.'
    if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1 || quantity > 20) {
      return 'Between 1 and 20 of each, please.'
    }
    lines.push({ product, quantity })
  }
  return lines
}

export function totalOf(lines: CartLine[]): number {
  return lines.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0)
}

export function dollars(hundredths: number): string {
  return (hundredths / 100).toFixed(2)
}
