/** One line of Countersign made worse. Some test must notice. */
export interface Saboteur {
  readonly name: string
  readonly file: string
  /** Stands in the file exactly once. */
  readonly before: string
  readonly after: string
  /** What must go red: test files, or a run of the fault harness. */
  readonly caughtBy:
    | { readonly tests: readonly [string, ...string[]] }
    | { readonly faults: readonly [string, ...string[]] }
}
