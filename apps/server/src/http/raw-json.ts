/**
 * A response body that is JSON already, and is sent as it stands. For what must be the same bytes each time it is read;
 * all other responses are written by their schema, which sends nothing that it does not name.
 */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
