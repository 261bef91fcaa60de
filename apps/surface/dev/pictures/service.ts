/** A DEVELOPMENT TOOL: what is asked of a service that runs, as a shop's backend would. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const HOME = process.env.MINTMARK_HOME ?? '.mintmark'
export const SHOP = `http://127.0.0.1:${process.env.STOREFRONT_PORT ?? 4010}`

/** What a session of the example's shop says of it. */
const LEAF_AND_KETTLE = { name: 'Leaf & Kettle', url: 'https://tea.example', country_code_iso2: 'US' }

interface Product {
  description: string
  unit_price: string
  quantity: number
}

/** The page's address for one purchase of a customer, or for a permission. */
export async function sessionAt(
  user: string,
  products: readonly Product[],
  { total, ...rest }: { total: string; mandate_setup?: object; external_order_ref: string },
): Promise<string> {
  const { api_url, secret_key } = JSON.parse(await readFile(join(HOME, 'dev.json'), 'utf8'))
  const response = await fetch(`${api_url}/v1/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...rest,
      user_id: user,
      user_email: `${user}@customers.example`,
      total_amount: total,
      currency: 'USD',
      locale: 'en-US',
      purchase_context: { custom: { merchant_details: LEAF_AND_KETTLE, product_details: products } },
    }),
  })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()).iframe_url
}
