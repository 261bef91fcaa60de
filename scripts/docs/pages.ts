import { categoriesPage } from './categories-page.ts'
import { configurationPage } from './configuration-page.ts'
import { declinesPage } from './declines-page.ts'
import { errorsPage, walletErrorsPage } from './errors-page.ts'
import { eventsPage } from './events-page.ts'
import { limitsPage } from './limits-page.ts'
import type { Page } from './markdown.ts'
import { retentionPage } from './retention-page.ts'
import { sdkApi } from './sdk-api.ts'
import { sdkEventTypes } from './sdk-events.ts'
import { statesPage } from './states-page.ts'
import { testCardsPage } from './test-cards-page.ts'

/** Every page of the documentation that is made from code, and the types of the SDK that are made from the contract. */
export async function generatedPages(): Promise<readonly Page[]> {
  return [
    errorsPage(),
    walletErrorsPage(),
    statesPage(),
    eventsPage(),
    declinesPage(),
    categoriesPage(),
    configurationPage(),
    limitsPage(),
    retentionPage(),
    testCardsPage(),
    sdkEventTypes(),
    ...sdkApi(),
  ]
}
