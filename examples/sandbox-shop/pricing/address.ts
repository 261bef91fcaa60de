/** Where a parcel goes. Countries are two letters of ISO 3166-1, states of the US their two letters or their name. */
export interface Address {
  name: string
  address: string
  city: string
  state: string
  postal_code: string
  country: string
  phone?: string | undefined
  email?: string | undefined
}

/** Words that name a building of many homes or offices. Street names such as Plaza or Court are not among them. */
const BUILDING_OF_MANY =
  /\b(?:apartments|towers?|lofts|condos?|condominiums?|residences|high-?rise|suites|flats|buildings?|bldg)\b/i
/** `Apt 4`, `Unit B`, `Suite 300`, `#12`, `Fl. 3`, `Room 9`, `PH 2`. */
const UNIT =
  /(?:#\s*\w)|\b(?:apt|apartment|unit|ste|suite|fl|floor|rm|room|ph|penthouse|no|flat|dept|lot|spc|space)\b\.?\s*#?\s*\w*\d|\b(?:apt|apartment|unit|ste|suite|flat|ph|penthouse)\b\.?\s*#?\s*[a-z]\b/i

/** A parcel to a building of many without a unit may come back. It is a question to the buyer, and refuses nothing. */
export function mayLackUnit({ country, address }: Pick<Address, 'country' | 'address'>): boolean {
  return country.toUpperCase() === 'US' && BUILDING_OF_MANY.test(address) && !UNIT.test(address)
}
