/** A step of the schema. Once released, a step never changes; a new one is added after it. */
export interface Migration {
  readonly name: string
  readonly sql: string
  /**
   * It only adds what releases before it do not use: their servers go on while they are replaced one
   * by one. Without it they stop within seconds, because they could write what no longer holds.
   */
  readonly besideOlder?: true
}
