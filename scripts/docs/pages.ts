import { categoriesPage } from './categories-page.ts'
import { configurationPage } from './configuration-page.ts'
import { declinesPage } from './declines-page.ts'
import { errorsPage, walletErrorsPage } from './errors-page.ts'
import { eventsPage } from './events-page.ts'
import { limitsPage } from './limits-page.ts'
import type { Page } from './markdown.ts'
import { retentionPage } from './retention-page.ts'
import { sdkValues } from './sdk-values.ts'
import { statesPage } from './states-page.ts'
import { testCardsPage } from './test-cards-page.ts'

/** Every page of the documentation that is made from code, and what of the SDK is and is committed. */
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
    ...sdkValues(),
  ]
}
