import type { SurfaceBrand } from '@mintmark/contract/wire/surface'

/**
 * Dresses the page as the merchant's operator set it. The service has judged the colours by their contrast; no rule of the style uses
 * them for amount, payee, sentence or the button's words.
 */
export function wear({ accent, accent_dark, radius, scheme }: SurfaceBrand): void {
  const { style, dataset } = document.documentElement
  if (accent !== undefined) style.setProperty('--brand-light', accent)
  if (accent_dark !== undefined) style.setProperty('--brand-dark', accent_dark)
  if (radius !== undefined) style.setProperty('--round', `${radius}px`)
  if (scheme !== undefined) dataset.scheme = scheme
}
