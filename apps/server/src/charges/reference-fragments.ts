// Parts of statements about the reference that a caller gives to a charge against a standing mandate.

/** The charge that holds `$reference`, as the unique index `charges_reference_key` finds it; none for null. */
export const HOLDER =
  `charges.merchant_id = $merchantId and standing_mandate_id = $mandateId and reference = $reference and not reference_freed` as const
