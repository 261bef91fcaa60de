/** The tables of schema `public` that belong to the operator, so that `merchant_id` does not lead their keys. */
export const OPERATOR_TABLES: Readonly<Record<string, string>> = Object.freeze({
  merchants: 'Its own id is the merchant_id of all other tables.',
  api_keys: 'Looked up by key id before anybody knows which merchant calls.',
  schema_migrations: 'About the schema, not about a merchant.',
  rate_limits: 'Counts callers, also those that are nobody yet; the layout is the rate limiter library’s.',
  sandbox_clock: 'One clock for the whole environment.',
})
