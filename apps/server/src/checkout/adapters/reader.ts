import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { malformed } from './no-answer.ts'

/** A reader of answers of one shape; throws for all others. */
export function reader<Schema extends TSchema>(schema: Schema): (body: unknown) => Static<Schema> {
  const compiled = Compile(schema)
  return (body) => {
    if (!compiled.Check(body)) throw malformed()
    return body as Static<Schema>
  }
}
