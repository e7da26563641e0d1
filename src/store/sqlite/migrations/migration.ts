/** A step of the schema. Once released, a step never changes; a new one is added after it. */
export interface Migration {
  readonly name: string
  readonly sql: string
}
