import { MAX_PIECES, type WalletErrorCode } from '@mintmark/contract'
import type { ErrorText } from './error-texts.ts'

/** Keyed by the union, so a new code does not compile until it is explained here. */
export const WALLET_ERROR_TEXTS: Readonly<Record<WalletErrorCode, ErrorText>> = {
  UNAUTHORIZED: {
    meaning:
      'The `Api-Key` header is missing, or its key is unknown, revoked, of the main API, or of the other environment.',
    remedy: 'Send `Api-Key: wk_test_…` in sandbox, `wk_live_…` in production.',
  },
  VALIDATION_ERROR: {
    meaning:
      'The request does not fit its schema, or its `Idempotency-Key` is missing or no UUID. `message` names the fields, `details` says ' +
      'what is wrong with each. The status is 413, 415, 431, 408 or 417 for what is wrong with the message itself.',
    remedy: 'Correct the fields. Unknown fields are refused too. After a 408 send the same again. The key stays free.',
  },
  INVALID_QUANTITY: {
    meaning:
      `There are fewer of a product than are wanted, a line of a cart would have more than ${MAX_PIECES} pieces, or the cart of an ` +
      'order is empty. The cart is as it was. A quantity that no cart can have, such as 0, is a `VALIDATION_ERROR`.',
    remedy: 'Change the cart.',
  },
  INSUFFICIENT_FUNDS: {
    meaning: 'The wallet holds less than the order costs. Nothing was taken.',
    remedy: 'Deposit, and order again with another key.',
  },
  OPERATION_NOT_ALLOWED: {
    meaning:
      'Possible in the sandbox only; or not for this customer, who was rejected; or the account is suspended, which may read and change ' +
      'nothing. `message` says which.',
    remedy: 'None by asking again. When the account is suspended: ask the operator; the key stays free.',
  },
  NOT_FOUND: {
    meaning: 'There is no such path, or the customer has no such order.',
    remedy: 'Check method and path, or list the orders of the customer.',
  },
  CUSTOMER_NOT_FOUND: { meaning: 'The merchant has no such customer.', remedy: 'Check the id.' },
  ADDRESS_NOT_FOUND: { meaning: 'The customer has no such address.', remedy: 'Add it, or check the id.' },
  WALLET_NOT_FOUND: { meaning: 'The customer has no such wallet.', remedy: 'List the wallets of the customer.' },
  CART_NOT_FOUND: { meaning: 'The customer has no such cart.', remedy: 'Check the id.' },
  MERCHANT_NOT_FOUND: {
    meaning: 'There is no such merchant to buy from.',
    remedy: 'List the merchants of a category.',
  },
  PRODUCT_NOT_FOUND: {
    meaning: 'There is no such product, or it is not sold here.',
    remedy: 'List the products again.',
  },
  CUSTOMER_EXISTS: {
    meaning: 'The merchant has a customer of this email address, in whatever spelling of letters.',
    remedy: 'Use that customer: `GET /v1/customers?email=…` returns it.',
  },
  INVALID_STATE: {
    meaning: 'The operation is not allowed in the present state, or another caller changed the state first.',
    remedy: 'Read the object and decide anew.',
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: 'The `Idempotency-Key` was used with another body, path or method.',
    remedy: 'Take a new key for each new request.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    meaning: 'The first request with this `Idempotency-Key` is still being worked on.',
    remedy: 'The same request again, after `Retry-After`.',
  },
  RATE_LIMITED: { meaning: 'Too many calls.', remedy: 'Wait as long as `Retry-After` says.' },
  INTERNAL_ERROR: {
    meaning: 'Something failed on our side. It may have taken effect.',
    remedy: 'The same request with the same key, after a pause: it takes effect once.',
  },
  SERVICE_UNAVAILABLE: {
    meaning: 'The service cannot answer right now. It may have taken effect.',
    remedy: 'The same request with the same key: it takes effect once.',
  },
}
