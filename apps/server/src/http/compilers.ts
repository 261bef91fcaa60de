import ajvCompiler from '@fastify/ajv-compiler'
import serializerCompiler from '@fastify/fast-json-stringify-compiler'

// Fastify's own compilers of schemas, asked later and less often. It would compile the schemas of all routes of a host
// before the host answers its first request, those of GET twice (for HEAD): half of the processor time of a start.

/** A validator or a serializer of one schema. Fastify reads `errors` of a validator right after a call. */
interface Compiled {
  (value: unknown): unknown
  errors?: unknown
}

/** Compiles one schema of a route. */
type Compile = (route: { schema: object }) => Compiled

const buildValidator = ajvCompiler()
const buildSerializer = serializerCompiler()

// For all hosts of the process: they have the same options.
const validators = new WeakMap<object, Compiled>()
const serializers = new WeakMap<object, Compiled>()

export const COMPILERS = {
  buildValidator: (...options: Parameters<typeof buildValidator>) => atFirstUse(buildValidator(...options), validators),
  buildSerializer: (...options: Parameters<typeof buildSerializer>) =>
    atFirstUse(buildSerializer(...options), serializers),
} as unknown as { buildValidator: typeof buildValidator; buildSerializer: typeof buildSerializer }

function atFirstUse(compiler: unknown, known: WeakMap<object, Compiled>): Compile {
  // The types of the two say that they compile any schema; Fastify hands them a route.
  const compile = compiler as Compile
  return (route) => {
    let compiled: Compiled | undefined
    const use: Compiled = (value) => {
      compiled ??= find(known, route, compile)
      const result = compiled(value)
      use.errors = compiled.errors
      return result
    }
    return use
  }
}

function find(known: WeakMap<object, Compiled>, route: { schema: object }, compile: Compile): Compiled {
  const compiled = known.get(route.schema) ?? compile(route)
  known.set(route.schema, compiled)
  return compiled
}
