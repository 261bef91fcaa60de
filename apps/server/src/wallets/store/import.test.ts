import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MAX_LINES } from './catalog-reader.ts'
import { createStoreWorld, linesOf, merchantLine, productLine, type StoreWorld } from './testing/world.ts'

// Guarantee: a catalog takes the place of the one before as a whole or not at all; what is wrong with a file is said by line and
// field; ids outlive every import; and two imports at the same time leave one of the two catalogs, not a mixture.

let world: StoreWorld
let merchantId: string
beforeAll(async () => {
  world = await createStoreWorld()
})
beforeEach(async () => {
  merchantId = await world.addAccount()
})
afterAll(() => world?.database.close())

const importing = (...lines: object[]) => world.stores.importCatalog(merchantId, linesOf(...lines))
const RANGE = { offset: 0, limit: 100, most: 1000 }

async function storeId(key = 'tea-house') {
  const { rows } = await world.database.pool.query(
    'select id from wallet_stores where merchant_id = $1 and source_key = $2',
    [merchantId, key],
  )
  return String(rows[0]?.id)
}

/** What is sold under a category, as name, price and how many. */
async function sold(category = 'food', key = 'tea-house') {
  const ref = { merchantId, storeId: await storeId(key), category }
  const found = await world.stores.listProducts(ref, RANGE)
  return found.rows.map(({ name, priceMinor, inventory }) => [name, Number(priceMinor), inventory])
}
const foundUnder = async (category: string) =>
  (await world.stores.listStores({ merchantId, category }, RANGE)).rows.map(({ name }) => name)

describe('a file', () => {
  test('makes merchants and products, which are found by category in the order of the file', async () => {
    const done = await importing(
      merchantLine({ description: '  From \n the leaf ', logo_url: 'https://tea.example/logo.png' }),
      productLine('green', { image_urls: ['https://tea.example/1.png', 'https://tea.example/2.png'] }),
      productLine('black', { price: '8', inventory: 0 }),
      productLine('pot', { category: 'kitchen', price: '40.00', inventory: 3 }),
    )
    expect(done).toEqual({ merchants: 1, products: 3, withdrawn: 0 })
    expect(await sold()).toEqual([
      ['Tea green', 1250, 10],
      ['Tea black', 800, 0],
    ])
    expect(await sold('kitchen')).toEqual([['Tea pot', 4000, 3]])
    expect(await sold('toys')).toEqual([])
    for (const category of ['food', 'kitchen']) expect(await foundUnder(category)).toEqual(['Tea House'])
    expect(await foundUnder('toys')).toEqual([])
    const { rows } = await world.stores.listStores({ merchantId, category: 'kitchen' }, RANGE)
    expect(rows[0]).toMatchObject({ category: 'food', description: 'From the leaf' })
  })

  test('leaves what it does not name, and is of one account', async () => {
    await importing(merchantLine(), productLine('green'))
    await importing(merchantLine({ id: 'other', name: 'Other' }), productLine('green', { merchant: 'other' }))
    expect(await foundUnder('food')).toEqual(['Tea House', 'Other'])
    expect(await sold()).toEqual([['Tea green', 1250, 10]])
    const stranger = await world.addAccount()
    expect(await world.stores.listStores({ merchantId: stranger, category: 'food' }, RANGE)).toEqual({
      rows: [],
      counted: 0n,
    })
    const theirs = world.stores.listProducts(
      { merchantId: stranger, storeId: await storeId(), category: 'food' },
      RANGE,
    )
    await expect(theirs).rejects.toMatchObject({ code: 'MERCHANT_NOT_FOUND', status: 404 })
  })

  test('that is imported again changes what it says, keeps ids, and withdraws what it no longer has', async () => {
    const before = await world.importing(merchantId, merchantLine(), productLine('green'), productLine('black'))
    const id = await storeId()
    const done = await importing(
      merchantLine({ name: 'Tea & Co' }),
      productLine('green', { price: '13.00', inventory: 4 }),
      productLine('white'),
    )
    expect(done).toEqual({ merchants: 1, products: 2, withdrawn: 1 })
    expect(await storeId()).toBe(id)
    expect(await sold()).toEqual([
      ['Tea green', 1300, 4],
      ['Tea white', 1250, 10],
    ])
    for (const productId of [before.black ?? '', 'nothing', storeId]) {
      const lost = world.stores.findProduct({ merchantId, productId: String(productId) })
      await expect(lost).rejects.toMatchObject({ code: 'PRODUCT_NOT_FOUND', status: 404 })
    }
    expect(await world.stores.findProduct({ merchantId, productId: before.green ?? '' })).toMatchObject({
      storeName: 'Tea & Co',
    })
    expect(await world.stockOf(merchantId)).toEqual({ green: 4, white: 10 })
    const after = await world.importing(merchantId, merchantLine(), productLine('black', { inventory: 1 }))
    expect(after.black).toBe(before.black)
    expect(await sold()).toEqual([['Tea black', 1250, 1]])
  })

  test('that is the same writes no product', async () => {
    const lines = [merchantLine(), productLine('green')] as const
    const { green = '' } = await world.importing(merchantId, ...lines)
    const updatedAt = async () => (await world.stores.findProduct({ merchantId, productId: green })).updatedAt
    const first = await updatedAt()
    world.clock.advance(60)
    await importing(...lines)
    expect(await updatedAt()).toEqual(first)
    await importing(merchantLine(), productLine('green', { name: 'Greener' }))
    expect(await updatedAt()).not.toEqual(first)
  })

  test('that does not say how many there are keeps what there is; of a new product there is none', async () => {
    await importing(merchantLine(), productLine('green', { inventory: 7 }))
    await importing(
      merchantLine(),
      productLine('green', { inventory: undefined }),
      productLine('new', { inventory: null }),
    )
    expect(await world.stockOf(merchantId)).toEqual({ green: 7, new: 0 })
  })

  test('in which a merchant sells nothing takes it out of every category', async () => {
    await importing(merchantLine(), productLine('green'), productLine('pot', { category: 'kitchen' }))
    await importing(merchantLine())
    for (const category of ['food', 'kitchen']) expect(await foundUnder(category)).toEqual([])
    expect(await sold()).toEqual([])
  })

  test('of an account that does not exist is refused', async () => {
    await expect(world.stores.importCatalog('ma_none', linesOf(merchantLine()))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  test('with thousands of lines is one catalog', async () => {
    const products = Array.from({ length: 2_500 }, (_, index) => productLine(`p${index}`))
    expect(await importing(merchantLine(), ...products)).toMatchObject({ products: 2_500 })
    const place = { merchantId, storeId: await storeId(), category: 'food' }
    const { counted, rows } = await world.stores.listProducts(place, { offset: 2_450, limit: 100, most: 2_000 })
    expect(rows.map(({ name }) => name)).toEqual(Array.from({ length: 50 }, (_, index) => `Tea p${index + 2_450}`))
    expect(counted).toBe(2_000n)
  })
})

describe('what is wrong', () => {
  const wrong = async (...lines: unknown[]) => {
    const error = await world.stores.importCatalog(merchantId, linesOf(...lines)).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'VAL_2001' })
    return error.details
  }

  test.each<[string, object, Record<string, string>]>([
    ['no type', { type: 'shop' }, { 'line 2: type': 'must be "merchant" or "product"' }],
    ['an unknown field', { colour: 'red' }, { 'line 2: colour': 'is not a known field' }],
    ['no name', { name: undefined }, { 'line 2: name': 'is required' }],
    ['a blank name', { name: ' \t ' }, { 'line 2: name': 'must not be blank' }],
    ['a name of a joiner', { name: '\u200d' }, { 'line 2: name': 'must show something' }],
    ['a description of nothing', { description: '\u2800' }, { 'line 2: description': 'must show something' }],
    ['a long name', { name: 'x'.repeat(201) }, { 'line 2: name': 'must have at most 200 characters' }],
    ['a name that reads backwards', { name: 'a\u202eb' }, { 'line 2: name': 'must not contain control characters' }],
    ['half a character', { name: 'a\ud800' }, { 'line 2: name': 'must not contain control characters' }],
    ['a number for a name', { name: 5 }, { 'line 2: name': 'must be a string' }],
    ['a category that is none', { category: 'Tea' }, { 'line 2: category': 'is none of the category codes' }],
    ['no category', { category: undefined }, { 'line 2: category': 'is required' }],
    ['no price', { price: undefined }, { 'line 2: price': 'is required' }],
    ['a price as a number', { price: 12.5 }, { 'line 2: price': 'must be a decimal string such as "12.50"' }],
    ['three decimals', { price: '1.234' }, { 'line 2: price': 'must be a decimal string such as "12.50"' }],
    ['a price of zero', { price: '0.00' }, { 'line 2: price': 'must be from 0.01 to 999999999.99' }],
    ['a price beyond all', { price: '1000000000' }, { 'line 2: price': 'must be from 0.01 to 999999999.99' }],
    ['half a piece', { inventory: 1.5 }, { 'line 2: inventory': 'must be a whole number from 0 to 1000000000' }],
    ['less than none', { inventory: -1 }, { 'line 2: inventory': 'must be a whole number from 0 to 1000000000' }],
    ['a number as text', { inventory: '1' }, { 'line 2: inventory': 'must be a whole number from 0 to 1000000000' }],
    [
      'eleven pictures',
      { image_urls: Array(11).fill('https://a.example/') },
      { 'line 2: image_urls': 'must be a list of at most 10' },
    ],
    [
      'a picture in the clear',
      { image_urls: ['http://a.example/'] },
      { 'line 2: image_urls': 'each must be a URL that starts with https://, of at most 2048 characters' },
    ],
    [
      'a picture with a password',
      { image_urls: ['https://a:b@a.example/'] },
      { 'line 2: image_urls': 'each must not carry a user name or a password' },
    ],
    [
      'a merchant that is not there',
      { merchant: 'nobody' },
      { 'line 2: merchant': 'is the id of no merchant in this file' },
    ],
  ])('%s', async (_name, changes, details) => {
    expect(await wrong(merchantLine(), productLine('green', changes))).toEqual(details)
  })

  test('lines that are no objects, keys that come twice, fractions of a currency that has none', async () => {
    expect(await wrong(merchantLine(), null, [], 'x')).toEqual({
      'line 2: type': expect.any(String),
      'line 3: type': expect.any(String),
      'line 4: type': expect.any(String),
    })
    expect(await wrong(merchantLine(), merchantLine(), productLine('green'), productLine('green'))).toEqual({
      'line 2: id': 'is the same as in line 1',
      'line 4: id': 'is the same as in line 3',
    })
    expect(await wrong(merchantLine({ currency: 'JPY' }), productLine('green'))).toEqual({
      'line 2: price': 'must have no fraction: JPY has no minor unit',
    })
    expect(await wrong()).toEqual({ 'line 1:': 'the file has no merchants' })
    expect(await wrong({ ...merchantLine(), currency: 'XXX', logo_url: 'ftp://x' })).toMatchObject({
      'line 1: currency': 'is none of the supported currencies',
      'line 1: logo_url': expect.any(String),
    })
  })

  test('a file with more lines than are taken', async () => {
    const products = Array.from({ length: MAX_LINES }, (_, index) => productLine(`p${index}`))
    expect(await wrong(merchantLine(), ...products)).toEqual({
      [`line ${MAX_LINES + 1}:`]: `the file has more than ${MAX_LINES} lines`,
    })
  })

  test('changes nothing at all, wherever in the file it is', async () => {
    await importing(merchantLine(), productLine('green'))
    const before = await sold()
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 20 }), fc.constantFrom('price', 'category', 'merchant'), async (place, field) => {
        const lines = Array.from({ length: 21 }, (_, index) =>
          productLine(`n${index}`, index === place ? { [field]: 'x' } : {}),
        )
        expect(Object.keys(await wrong(merchantLine({ name: 'Changed' }), ...lines))).toEqual([
          `line ${place + 2}: ${field}`,
        ])
        expect(await sold()).toEqual(before)
      }),
      { numRuns: 15 },
    )
  })
})

test('whatever was imported before, afterwards the merchants of the file are as the file says', async () => {
  const products = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      price: fc.integer({ min: 1, max: 99_999 }),
      category: fc.constantFrom('food', 'kitchen'),
      inventory: fc.nat({ max: 5 }),
    }),
    { selector: ({ id }) => id },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(products, { minLength: 1, maxLength: 4 }), async (files) => {
      for (const file of files) {
        await importing(
          merchantLine(),
          ...file.map(({ id, price, ...rest }) => productLine(id, { ...rest, price: `${price}.00` })),
        )
      }
      const last = files.at(-1) ?? []
      const all = [...((await sold('food')) ?? []), ...((await sold('kitchen')) ?? [])]
      const expected = last.map(({ id, price, inventory }) => [`Tea ${id}`, price * 100, inventory])
      expect(all.sort()).toEqual(expected.sort())
      for (const category of ['food', 'kitchen']) {
        const sells = last.length > 0 && (category === 'food' || last.some((product) => product.category === category))
        expect(await foundUnder(category)).toEqual(sells ? ['Tea House'] : [])
      }
    }),
    { numRuns: 20 },
  )
})

test('of imports at the same time one is the last, and its catalog is whole', async () => {
  const file = (price: number) => [
    merchantLine(),
    ...Array.from({ length: 30 }, (_, index) => productLine(`p${index}`, { price: `${price}.00`, inventory: price })),
  ]
  await Promise.all([1, 2, 3, 4, 5, 6].map((price) => importing(...file(price))))
  const kinds = new Set((await sold())?.map(([, price, inventory]) => `${price} ${inventory}`))
  expect(kinds.size).toBe(1)
  expect(await sold()).toHaveLength(30)
})

describe('beside others', () => {
  /** A transaction that holds something until told to end. */
  async function holding(sql: string, values: unknown[] = []) {
    const client = await world.database.pool.connect()
    const release = async () => {
      await client.query('rollback')
      client.release()
    }
    await client.query('begin')
    await client.query(sql, values).catch((error) => release().then(() => Promise.reject(error)))
    return release
  }
  const HOLD_STOCK = 'select 1 from wallet_stock where product_id = $1 for update'

  test('orders of what a file leaves as it is do not wait for it', async () => {
    const { green } = await world.importing(merchantId, merchantLine(), productLine('green'), productLine('black'))
    const done = await holding(HOLD_STOCK, [green])
    const file = [merchantLine({ name: 'New' }), productLine('green', { price: '1.00' }), productLine('white')]
    expect(await importing(...file).finally(done)).toMatchObject({ products: 2, withdrawn: 1 })
    expect(await world.stockOf(merchantId)).toEqual({ green: 10, white: 10 })
  })

  test('the stock is locked in the order of orders, in whatever order the file has it', async () => {
    const keys = Array.from({ length: 1_200 }, (_, index) => `p${index}`)
    const file = (inventory: number) => keys.map((key) => productLine(key, { inventory }))
    const { p0, p1199 } = await world.importing(merchantId, merchantLine(), ...file(1))
    const done = await holding(HOLD_STOCK, [p0])
    const second = importing(merchantLine(), ...file(2).reverse())
    try {
      await expect.poll(waitingFor('wallet_stock')).toBe(1)
      // An order that has the first product gets the last one, too: the import does not hold it while it waits.
      await (await holding(`${HOLD_STOCK} nowait`, [p1199]))()
    } finally {
      await done()
      await second
    }
    expect(new Set(Object.values(await world.stockOf(merchantId)))).toEqual(new Set([2]))
  })

  const waitingFor = (table: string) => async (): Promise<number> => {
    const { rows } = await world.database.pool.query(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`,
      [table],
    )
    return rows[0].count
  }

  test('an import waits for the one before it, also for longer than for any other lock', async () => {
    await importing(merchantLine(), productLine('green'))
    const done = await holding('select 1 from wallet_catalogs where merchant_id = $1 for update', [merchantId])
    const second = importing(merchantLine(), productLine('white'))
    try {
      await expect.poll(waitingFor('wallet_catalogs')).toBe(1)
      // Longer than statements wait for a lock.
      await delay(3_500)
    } finally {
      await done()
    }
    expect(await second).toMatchObject({ products: 1, withdrawn: 1 })
  })
})
