import type * as Sdk from '@mintmark/browser'
import { ask, button, byId, h, Refused, svg } from './dom.ts'

/** What `/mintmark.js` left behind. With a bundler: `import { Mintmark } from '@mintmark/browser'`. */
declare const Mintmark: typeof Sdk.Mintmark

interface Product {
  id: string
  name: string
  note: string
  price: number
  hue: number
}

interface Order {
  id: string
  total: string
  /** `lost`: the shop does not know it any more. */
  state: 'waiting' | 'paid' | 'failed' | 'lost'
  message: string
  authorization_code: string | null
  /** While it is waiting. */
  payment: { iframe_url: string; session_token: string } | null
}

const MAX_OF_ONE = 20
const POLL_MILLIS = 700
/** Between two questions to a shop that does not answer. */
const MAX_PAUSE_MILLIS = 10_000
const STEPS = ['Order', 'Card', 'Approve', 'Pay']
const STEP_OF: Record<Sdk.Step, number> = {
  card: 1,
  card_cvv: 1,
  card_verification: 1,
  passkey_registration: 2,
  approval: 2,
  processing: 3,
  done: 3,
}

// A reload, in the middle of a payment too, goes on where the page was: this tab keeps the cart and the id of the order, and no secret.
const cart = new Map<string, number>(JSON.parse(sessionStorage.getItem('cart') ?? '[]'))
let products: Product[] = []
let mintmark: Sdk.Mintmark | null = null
/** The order whose payment is on the screen; one that was left may still end. */
let orderShown: string | null = null

byId('checkout').addEventListener('click', () => void checkOut())
byId('again').addEventListener('click', () => show('shop'))
// The bar at the foot of a phone's screen leads to the cart, and is in the way once that is there.
new IntersectionObserver(([cart]) => {
  byId('cart-link').classList.toggle('arrived', cart?.isIntersecting)
}).observe(byId('checkout'))
void openShop().then(resume)

async function openShop(): Promise<void> {
  tellProblem('catalog-problem', null)
  const shelf = byId('products')
  try {
    const catalog = await ask<{ products: Product[]; publishable_key: string }>('/api/catalog')
    products = catalog.products
    mintmark ??= new Mintmark({ publishableKey: catalog.publishable_key })
    shelf.replaceChildren(...products.map(productCard))
    drawCart()
  } catch (error) {
    shelf.replaceChildren()
    tellProblem('catalog-problem', error, () => void openShop())
  }
  shelf.removeAttribute('aria-busy')
}

function productCard(product: Product): HTMLElement {
  const { name, note, price } = product
  const add = button('Add', () => setQuantity(product, quantityOf(product) + 1), {
    'aria-label': `Add ${name} to the cart`,
  })
  const buy = h('div', { class: 'buy' }, h('span', { class: 'price' }, dollars(price)), add)
  const words = h('div', { class: 'words' }, h('h2', {}, name), h('p', { class: 'soft' }, note), buy)
  return h('li', { class: 'product' }, swatch(product), words)
}

/** A leaf in the tea's colour. */
function swatch({ hue }: Product): SVGElement {
  const box = { class: 'swatch', viewBox: '40 10 120 84', 'aria-hidden': 'true' }
  const ground = `hsl(${hue} 38% 88%)`
  return svg(
    'svg',
    box,
    svg('rect', { x: -400, y: -400, width: 1000, height: 1000, fill: ground }),
    svg('path', { d: 'M60 74C71 27 112 17 147 29 140 71 99 91 60 74Z', fill: `hsl(${hue} 36% 40%)` }),
    svg('path', { d: 'M52 80C82 61 112 47 147 29', fill: 'none', stroke: ground, 'stroke-width': 2 }),
  )
}

function quantityOf({ id }: Product): number {
  return cart.get(id) ?? 0
}

function setQuantity(product: Product, wanted: number): void {
  const quantity = Math.min(MAX_OF_ONE, wanted)
  if (quantity > 0) cart.set(product.id, quantity)
  else cart.delete(product.id)
  tellProblem('cart-problem', null)
  drawCart()
  byId('said').textContent = `${product.name}: ${quantity} in the cart. Total ${dollars(total())}.`
}

function drawCart(): void {
  sessionStorage.setItem('cart', JSON.stringify([...cart]))
  const focused = document.activeElement?.getAttribute('aria-label')
  const inCart = products.filter((product) => cart.has(product.id))
  byId('lines').replaceChildren(...inCart.map(cartLine))
  byId('total').textContent = dollars(total())
  const count = inCart.reduce((sum, product) => sum + quantityOf(product), 0)
  const items = count === 1 ? '1 item' : `${count} items`
  byId('cart-link').replaceChildren(h('span', {}, `Cart, ${items}`), h('span', {}, dollars(total())))
  byId('empty').hidden = count > 0
  for (const id of ['total-line', 'checkout', 'cart-link']) byId(id).hidden = count === 0
  // The button that had the focus was drawn again, or went with its line.
  if (focused === null || focused === undefined || document.activeElement !== document.body) return
  const again = [...byId('lines').querySelectorAll('button')].find((one) => one.getAttribute('aria-label') === focused)
  const target = again ?? byId('cart-title')
  target.focus()
}

function cartLine(product: Product): HTMLElement {
  const { name, price } = product
  const quantity = quantityOf(product)
  const step = (sign: string, by: number, label: string) =>
    button(sign, () => setQuantity(product, quantity + by), { class: 'quiet', 'aria-label': `${label}: ${name}` })
  const count = h('div', { class: 'count' }, step('−', -1, 'One less'), h('output', {}, String(quantity)))
  count.append(step('+', 1, 'One more'))
  const remove = button('Remove', () => setQuantity(product, 0), {
    class: 'quiet remove',
    'aria-label': `Remove: ${name}`,
  })
  const cost = h('span', { class: 'price' }, dollars(price * quantity))
  return h('li', { class: 'line' }, h('span', {}, name), cost, count, remove)
}

function total(): number {
  return products.reduce((sum, product) => sum + product.price * quantityOf(product), 0)
}

async function checkOut(): Promise<void> {
  const checkout = byId('checkout')
  if (checkout.ariaBusy === 'true') return
  checkout.ariaBusy = 'true'
  tellProblem('cart-problem', null)
  try {
    const items = [...cart].map(([id, quantity]) => ({ id, quantity }))
    take(await ask<Order>('/api/orders', { items }))
  } catch (error) {
    tellProblem('cart-problem', error)
  } finally {
    checkout.ariaBusy = null
  }
}

/** After a reload: the order that was on the screen, paid or ended meanwhile or still to be paid. */
async function resume(): Promise<void> {
  const id = sessionStorage.getItem('order')
  if (id === null) return
  tellProblem('cart-problem', null)
  try {
    take(await ask<Order>(`/api/orders/${id}`))
  } catch (error) {
    if (!(error instanceof Refused && error.status === 404))
      return tellProblem('cart-problem', error, () => void resume())
    showOrder(null)
    tellProblem('cart-problem', new Error(LOST))
  }
}

function take(order: Order): void {
  if (order.payment === null) showReceipt(order)
  else pay(order, order.payment)
}

/** Says which order's payment is on the screen. */
function showOrder(id: string | null): void {
  orderShown = id
  if (id === null) sessionStorage.removeItem('order')
  else sessionStorage.setItem('order', id)
}

/**
 * The payment's screen. It ends when the shop's own backend says how the order stands; what the payment page says decides
 * nothing.
 */
function pay(order: Order, payment: NonNullable<Order['payment']>): void {
  const frame = byId('frame')
  const close = () => {
    frame.classList.remove('loading')
    mintmark?.destroy()
  }
  const embed = () => {
    close()
    byId('elsewhere').hidden = false
    frame.replaceChildren()
    frame.classList.add('loading')
    mintmark?.collectPAN({
      sessionToken: payment.session_token,
      iframeUrl: payment.iframe_url,
      container: frame,
      onReady: () => frame.classList.remove('loading'),
      onChange: follow,
      onError: (error) => {
        // Everything else the payment page says itself.
        if (error.code !== 'IFRAME_LOAD_ERROR' && error.code !== 'SDK_INIT_ERROR') return
        frame.classList.remove('loading')
        if (!error.retryable)
          frame.replaceChildren(problem('The payment page does not load. Is the payment service running?', embed))
      },
    })
  }
  byId('back').onclick = () => {
    mintmark?.cancel()
    showOrder(null)
    show('shop')
  }
  const tab = byId('tab') as HTMLAnchorElement
  tab.href = payment.iframe_url
  tab.onclick = () => {
    close()
    byId('elsewhere').hidden = true
    const here = button('Pay here instead', embed, { class: 'quiet' })
    frame.replaceChildren(
      h('div', { class: 'elsewhere' }, h('p', {}, 'Finish in the other tab. This page follows.'), here),
    )
  }
  showOrder(order.id)
  step = null
  drawSteps(0)
  show('pay')
  embed()
  void outcomeOf(order).then((ended) => {
    if (ended.state !== 'paid' && orderShown !== order.id) return
    close()
    showReceipt(ended)
  })
}

let step: Sdk.Step | null = null

function follow(change: Sdk.Change): void {
  if (change.step === step) return
  step = change.step
  drawSteps(STEP_OF[step])
  // The next screen starts at the top of the frame, which a phone may have scrolled past.
  const frame = byId('frame')
  if (frame.getBoundingClientRect().top < 0) frame.scrollIntoView()
}

/** The shop's backend ends every order in time. One that was started anew knows none of before: then there is nothing to wait for. */
async function outcomeOf(order: Order): Promise<Order> {
  let now = order
  for (let pause = POLL_MILLIS; now.state === 'waiting'; ) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    try {
      now = await ask<Order>(`/api/orders/${order.id}`)
      pause = POLL_MILLIS
    } catch (error) {
      if (error instanceof Refused && error.status === 404) now = { ...order, state: 'lost', message: LOST }
      pause = Math.min(MAX_PAUSE_MILLIS, pause * 2)
    }
  }
  return now
}

const LOST = 'The shop does not know this order any more. Ask it how the order stands before you pay again.'
const RECEIPT_TITLES: Record<Order['state'], string> = {
  waiting: 'Your order',
  paid: 'Thank you',
  failed: 'The order was not paid',
  lost: 'This order is gone',
}

function drawSteps(current: number): void {
  const items = STEPS.map((text, index) =>
    h('li', { class: index < current ? 'done' : '', 'aria-current': index === current && 'step' }, text),
  )
  byId('steps').replaceChildren(...items)
}

function showReceipt(order: Order): void {
  const isPaid = order.state === 'paid'
  showOrder(null)
  if (isPaid) {
    cart.clear()
    drawCart()
  }
  const medal = byId('medal')
  medal.textContent = isPaid ? '✓' : '!'
  medal.classList.toggle('bad', !isPaid)
  byId('receipt-title').textContent = RECEIPT_TITLES[order.state]
  byId('receipt-text').textContent = order.message
  const facts: [string, string][] = [[isPaid ? 'Paid' : 'To pay', `${order.total} USD`]]
  if (order.authorization_code !== null) facts.push(['Authorization', order.authorization_code])
  facts.push(['Order', order.id.slice(0, 8)])
  byId('facts').replaceChildren(...facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))))
  byId('again').textContent = isPaid ? 'Buy more tea' : 'Back to the cart'
  show('receipt')
}

function show(view: 'shop' | 'pay' | 'receipt'): void {
  for (const id of ['shop', 'pay', 'receipt']) byId(id).hidden = id !== view
  byId('cart-link').hidden = view !== 'shop' || cart.size === 0
  scrollTo({ top: 0 })
  byId(`${view}-title`).focus({ preventScroll: true })
}

function tellProblem(id: string, error: unknown, again?: () => void): void {
  const place = byId(id)
  place.hidden = error === null
  const text = error instanceof Error ? error.message : 'Something went wrong. Try again.'
  place.replaceChildren(...(error === null ? [] : problemParts(text, again)))
}

function problem(text: string, again: () => void): HTMLElement {
  return h('div', { class: 'problem', role: 'alert' }, ...problemParts(text, again))
}

function problemParts(text: string, again?: () => void): HTMLElement[] {
  return [h('p', {}, text), ...(again === undefined ? [] : [button('Try again', again)])]
}

function dollars(hundredths: number): string {
  return `${(hundredths / 100).toFixed(2)} USD`
}
