/** Where the page may send a person: web addresses only, because the browser would run a `javascript:` one. */
export function webAddress(address: string | null | undefined): string | null {
  return address != null && /^https?:\/\//i.test(address) ? address : null
}
