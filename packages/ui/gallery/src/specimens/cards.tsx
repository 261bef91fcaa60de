import { CARD_BRAND_NAMES } from '@mintmark/contract/card-brands'
import { Button } from '../../../src/button.tsx'
import { CardChoice, CardRow, Plastic } from '../../../src/card.tsx'
import { Foreign } from '../../../src/foreign.tsx'
import { Money, Written } from '../../../src/money.tsx'
import { Mark, Party } from '../../../src/party.tsx'
import { Ground, Specimen } from '../specimen.tsx'
import type { GalleryWords } from '../words.ts'

interface Props {
  words: GalleryWords
}

const LOGO = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="10" height="10" fill="#1d3f7a"/><circle cx="5" cy="5" r="2.6" fill="#fff"/></svg>',
)}`
const SUMS = [
  ['57.80', 'EUR', 'de-AT'],
  ['1234.5', 'USD', 'en-US'],
  ['1234.5', 'USD', 'en-GB'],
  ['4800', 'JPY', 'en-US'],
  ['-12.50', 'EUR', 'fr-FR'],
  ['1234.5', 'EGP', 'ar-EG'],
  ['12345678901.99', 'CHF', 'de-CH'],
] as const

/** The owner of the money, the card, and how much. */
export function Cards({ words }: Props) {
  return (
    <>
      <Specimen of="Party, Mark, Foreign">
        <Ground>
          <Party name={words.shop} title={<Foreign text={words.shop} />} host={<Foreign text={words.shopHost} />} />
          <Party name={words.shop} logo={LOGO} title={words.shop} host={words.shopHost} badge={words.sandbox} />
          <Party name="مقهى النيل" title={<Foreign text="مقهى النيل" />} host={<Foreign text="nile.example" />} />
          <div class="many">
            <Mark name="Atlas" />
            <Mark name="éclair" />
            <Mark name="—" />
          </div>
        </Ground>
      </Specimen>
      <Specimen of="Plastic, CardRow, CardChoice">
        <Ground>
          <div class="many">
            {[...CARD_BRAND_NAMES, null].map((brand) => (
              <Plastic brand={brand} key={brand} />
            ))}
          </div>
          <CardRow brand="visa" name={words.card} note={words.kept}>
            <Button kind="quiet">{words.change}</Button>
          </CardRow>
          <Choices words={words} />
        </Ground>
      </Specimen>
      <Specimen of="Money, Written">
        <Ground>
          <ul class="many">
            {SUMS.map(([amount, currency, locale]) => (
              <li key={`${currency} ${locale}`}>
                <Money amount={amount} currency={currency} locale={locale} />
              </li>
            ))}
            <li>
              <Written amount="€57.80" />
            </li>
          </ul>
        </Ground>
      </Specimen>
    </>
  )
}

function Choices({ words }: Props) {
  const choices = [
    { brand: 'visa', name: words.card, note: words.expires, isChosen: true, isUsable: true },
    { brand: 'mastercard', name: 'Mastercard ·· 5100', note: words.expires, isChosen: false, isUsable: true },
    { brand: null, name: words.plain, note: words.expiredCard, isChosen: false, isUsable: false },
  ] as const
  return (
    <ul class="card-list">
      {choices.map((choice) => (
        <li key={choice.name}>
          <CardChoice {...choice} onPress={() => {}} />
        </li>
      ))}
    </ul>
  )
}
