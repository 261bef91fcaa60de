import type { TestMerchant, TestService } from '../../../../test/service.ts'
import type { RouteExample } from '../../../http/testing/table-walk.ts'
import { quoteBody, quoted, type scriptedShops } from './scripted-shop.ts'

const EVERYONES = 'Names nothing that belongs to a merchant account: shops are the operator’s.'

/** A request for each row of quotes and catalog, at a shop of its own. */
export function quoteExamples(
  service: TestService,
  shops: ReturnType<typeof scriptedShops>,
  [merchant, other]: readonly [TestMerchant, TestMerchant],
): Record<string, () => Promise<RouteExample>> {
  return {
    searchCatalog: async () => ({ own: { body: { query: 'mug' } }, foreign: EVERYONES }),
    async getCatalogProduct() {
      const { id } = await shops.add(service)
      return { own: { params: { id: `prod_${id.slice('shop_'.length)}.mug` } }, foreign: EVERYONES }
    },
    createQuote: async () => ({ own: { body: quoteBody(await shops.add(service)) }, foreign: EVERYONES }),
    async getQuote() {
      const shop = await shops.add(service)
      const of = (id: string) => ({ params: { id } })
      const [own, theirs] = [await quoted(merchant, shop), await quoted(other, shop)]
      return {
        own: of(own.quote_id),
        foreign: { theirs: of(theirs.quote_id), nobodys: of('qte_nobodys'), status: 404 },
      }
    },
  }
}
