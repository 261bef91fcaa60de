import type { Currency } from '@mintmark/contract'
import type {
  ProductDetails,
  Store,
  StoreList,
  StoreProduct,
  StoreProductList,
} from '@mintmark/contract/wire/wallet/stores'
import { amountFromMinor } from '../../platform/money.ts'
import type { FoundProduct, ListedProduct, ListedStore } from './service.ts'

export function toWireStores(stores: readonly ListedStore[]): StoreList {
  return { count: stores.length, merchants: stores.map(toWireStore) }
}

function toWireStore({ id, name, category, description, logoUrl }: ListedStore): Store {
  return { merchant_id: id, name, category_code: category, description, logo_url: logoUrl }
}

interface SoldIn {
  storeId: string
  category: string
  currency: Currency
}

export function toWireProducts(
  products: readonly ListedProduct[],
  { storeId, category, currency }: SoldIn,
): StoreProductList {
  return {
    count: products.length,
    merchant_id: storeId,
    category_code: category,
    products: products.map((product) => toWireProduct(product, currency)),
  }
}

function toWireProduct(product: ListedProduct, currency: Currency): StoreProduct {
  const { id, name, description, priceMinor, inventory, imageUrls } = product
  const price = amountFromMinor(priceMinor)
  return { product_id: id, name, description, price, currency, inventory, image_url: imageUrls[0] ?? null }
}

export function toWireDetails(product: FoundProduct): ProductDetails {
  const { storeId, storeName, storeCategory, storeDescription, logoUrl } = product
  return {
    ...toWireProduct(product, product.currency),
    category: product.category,
    merchant: toWireStore({
      id: storeId,
      name: storeName,
      category: storeCategory,
      description: storeDescription,
      logoUrl,
    }),
    images: product.imageUrls,
    created_at: product.createdAt.toISOString(),
    updated_at: product.updatedAt.toISOString(),
  }
}
