import { generatedPages } from './docs/pages.ts'
import { sdkTypes } from './docs/sdk-types.ts'
import { writePages } from './docs/write.ts'

// npm run docs   writes the pages of docs/ and the files of the SDK that are made from code, and says which it has changed. That what is
// committed of them is up to date is tested in docs.test.ts.

await writePages([...(await generatedPages()), ...sdkTypes()])
