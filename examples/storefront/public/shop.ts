interface Product {
  id: string
  name: string
  note: string
  price: number
  hue: number
}

interface Order {
  id: string
  state: 'waiting' | 'charging' | 'paid' | 'failed'
  message: string
  iframe_url?: string
}

const PROTOCOL = 'mintmark.frame.1'
const cart = new Map<string, number>()
const { products, surface_origin: surfaceOrigin } = (await json('/api/catalog')) as {
  products: Product[]
  surface_origin: string
}

byId('products').replaceChildren(...products.map(card))
byId('checkout').addEventListener('click', () => void checkOut())
byId('close').addEventListener('click', () => dialog().close())

function card(product: Product): HTMLElement {
  const add = element('button', 'Add to cart')
  add.addEventListener('click', () => {
    cart.set(product.id, Math.min(20, (cart.get(product.id) ?? 0) + 1))
    drawCart()
  })
  const text = element('div')
  text.append(element('h3', product.name), element('p', `${product.note} · ${dollars(product.price)}`), add)
  const item = element('li')
  item.className = 'product'
  item.append(swatch(product), text)
  return item
}

/** A quiet picture of a leaf in the tea's colour. */
function swatch({ hue }: Product): SVGElement {
  const picture = svg('svg', {
    class: 'swatch',
    viewBox: '0 0 200 100',
    preserveAspectRatio: 'xMidYMid slice',
    'aria-hidden': 'true',
  })
  picture.append(
    svg('rect', { width: '200', height: '100', fill: `hsl(${hue} 35% 88%)` }),
    svg('path', { d: 'M60 70 C75 20 130 20 150 30 C140 75 95 90 60 70 Z', fill: `hsl(${hue} 40% 45%)` }),
    svg('path', { d: 'M60 70 C90 55 115 45 150 30', fill: 'none', stroke: `hsl(${hue} 35% 88%)`, 'stroke-width': '2' }),
  )
  return picture
}

function drawCart(): void {
  const lines = products.filter(({ id }) => cart.has(id))
  byId('cart').replaceChildren(
    ...lines.map((product) => {
      const line = element('li')
      const quantity = cart.get(product.id) ?? 0
      line.append(element('span', `${quantity} × ${product.name}`), element('span', dollars(product.price * quantity)))
      return line
    }),
  )
  const total = lines.reduce((sum, { id, price }) => sum + price * (cart.get(id) ?? 0), 0)
  byId('total').textContent = dollars(total)
  button('checkout').disabled = lines.length === 0
}

async function checkOut(): Promise<void> {
  const checkout = button('checkout')
  checkout.disabled = true
  notify('')
  try {
    const items = [...cart].map(([id, quantity]) => ({ id, quantity }))
    const order = (await json('/api/orders', { items })) as Order
    showPayment(order)
  } catch (error) {
    notify(error instanceof Error ? error.message : 'Something went wrong.')
  } finally {
    checkout.disabled = false
  }
}

/** Embeds the secure surface. It may use passkeys here only because the frame is allowed to. */
function showPayment(order: Order): void {
  const frame = document.createElement('iframe')
  frame.title = 'Secure payment'
  frame.allow = 'publickey-credentials-get *; publickey-credentials-create *'
  frame.src = order.iframe_url ?? ''
  byId('frame').replaceChildren(frame)
  byId('steps').replaceChildren(step('Order placed', 'done'), step('Waiting for your approval'))
  const stop = new AbortController()
  dialog().addEventListener('close', () => stop.abort(), { once: true })
  dialog().showModal()
  talkTo(frame, stop.signal)
  void follow(order, stop.signal)
}

/** Says hello until the surface answers, then listens. Messages count only from this frame and its own origin. */
function talkTo(frame: HTMLIFrameElement, stopped: AbortSignal): void {
  const hello = setInterval(() => {
    frame.contentWindow?.postMessage({ protocol: PROTOCOL, type: 'hello' }, surfaceOrigin)
  }, 200)
  stopped.addEventListener('abort', () => clearInterval(hello))
  addEventListener(
    'message',
    (event: MessageEvent) => {
      if (event.source !== frame.contentWindow || event.origin !== surfaceOrigin) return
      if (event.data?.protocol !== PROTOCOL) return
      switch (event.data.type) {
        case 'ready':
          return clearInterval(hello)
        case 'resize':
          return frame.style.setProperty('height', `${Math.min(1200, Number(event.data.height) || 0)}px`)
        case 'card_collected':
          return byId('steps').append(step(`Card ending in ${event.data.card.card_last4}`, 'done'))
        case 'cancelled':
          return notify('You cancelled the payment. Nothing was charged.')
      }
    },
    { signal: stopped },
  )
}

/** The shop's own backend knows how the order stands; what a page says is never proof of payment. */
async function follow(order: Order, stopped: AbortSignal): Promise<void> {
  for (let wait = 500; !stopped.aborted; wait = Math.min(3000, wait * 1.2)) {
    await new Promise((resolve) => setTimeout(resolve, wait))
    const now = (await json(`/api/orders/${order.id}`).catch(() => order)) as Order
    if (now.state === 'paid' || now.state === 'failed') {
      byId('steps').append(step(now.message, now.state === 'paid' ? 'done' : 'bad'))
      notify(now.message)
      if (now.state === 'paid') {
        cart.clear()
        drawCart()
      }
      return
    }
  }
}

function step(text: string, kind = ''): HTMLElement {
  const item = element('li', text)
  item.className = kind
  return item
}

function notify(text: string): void {
  byId('notice').textContent = text
}

async function json(path: string, body?: unknown): Promise<unknown> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(path, body === undefined ? {} : init)
  const answer = (await response.json()) as { message?: string }
  if (!response.ok) throw new Error(answer.message ?? 'The shop did not answer.')
  return answer
}

function dollars(hundredths: number): string {
  return `${(hundredths / 100).toFixed(2)} USD`
}

function element(name: string, text = ''): HTMLElement {
  const made = document.createElement(name)
  made.textContent = text
  return made
}

function svg(name: string, attributes: Record<string, string>): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return made
}

function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no #${id}.`)
  return found
}

function button(id: string): HTMLButtonElement {
  return byId(id) as HTMLButtonElement
}

function dialog(): HTMLDialogElement {
  return byId('payment') as HTMLDialogElement
}
