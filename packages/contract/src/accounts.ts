/** What a deployment is for. Keys, tokens and rows of one environment are worth nothing in the other. */
export const ENVIRONMENTS = ['sandbox', 'production'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

export const MERCHANT_STATUSES = ['active', 'suspended'] as const
export type MerchantStatus = (typeof MERCHANT_STATUSES)[number]

/** What a contact of an account is to it. */
export const CONTACT_ROLES = ['developer', 'admin'] as const
export type ContactRole = (typeof CONTACT_ROLES)[number]

export const API_KEY_KINDS = ['secret', 'publishable', 'wallet'] as const
export type ApiKeyKind = (typeof API_KEY_KINDS)[number]

/** What a secret key may do: all that its merchant may, or what a dashboard shows and does for one of its users. */
export const API_KEY_ROLES = ['merchant', 'control_plane'] as const
export type ApiKeyRole = (typeof API_KEY_ROLES)[number]
