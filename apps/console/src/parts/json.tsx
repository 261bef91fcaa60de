import { jsonPieces } from '../json.ts'

/** JSON as one reads it. What others wrote in it is text, whatever it looks like. */
export function Json({ value }: { value: unknown }) {
  return (
    <pre>
      <code>
        {jsonPieces(value).map(({ kind, text }, index) =>
          kind === 'sign' ? (
            text
          ) : (
            <span key={index} class={`json-${kind}`}>
              {text}
            </span>
          ),
        )}
      </code>
    </pre>
  )
}
