import type { FrameAppearance } from '@mintmark/contract/frame'
import type { SurfaceBrand } from '@mintmark/contract/wire/surface'

/** Colours, corners and scheme, on all of the page: the merchant's, or else what the page around this one has told. */
export function dress(brand: SurfaceBrand, told: FrameAppearance): void {
  const { accent, accent_dark, radius, scheme } = { ...told, ...brand }
  const { dataset, style } = document.documentElement
  dataset.scheme = scheme
  const own = { accent, 'accent-dark': accent_dark, round: radius === undefined ? undefined : `${radius}px` }
  for (const [role, value] of Object.entries(own)) {
    if (value === undefined) style.removeProperty(`--own-${role}`)
    else style.setProperty(`--own-${role}`, value)
  }
}
