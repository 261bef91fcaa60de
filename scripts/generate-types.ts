import { sdkTypes } from './docs/sdk-types.ts'
import { writePages } from './docs/write.ts'

// node scripts/generate-types.ts   writes the types of the SDK, which are not committed. npm does it after an install, and before a build and
// the type check. It loads what the service loads and no tool, so that it needs no development dependency.

await writePages(sdkTypes())
