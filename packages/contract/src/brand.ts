/**
 * The one place that knows how the card network's brand enters wire names. `network` is the neutral default;
 * with `NETWORK_BRAND=acme` the code `NETWORK_CONFIRMATION_FAILED` becomes `ACME_CONFIRMATION_FAILED` and the fields
 * `network_confirmation` and `networkConfirmation` become `acme_confirmation` and `acmeConfirmation`.
 */
export interface BrandedNames {
  confirmationField: `${string}_confirmation`
  confirmationFieldCamel: `${string}Confirmation`
  code(code: string): string
}

export function brandedNames(brand: string): BrandedNames {
  const lower = brand.toLowerCase()
  return Object.freeze({
    confirmationField: `${lower}_confirmation`,
    confirmationFieldCamel: `${lower}Confirmation`,
    code: (code: string) =>
      code === 'NETWORK_CONFIRMATION_FAILED' ? `${lower.toUpperCase()}_CONFIRMATION_FAILED` : code,
  })
}
