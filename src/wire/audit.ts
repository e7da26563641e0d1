/** `GET /v1/audit`. */
export interface AuditPage {
  /** As in an exported file: who wrote it, its place in that chain, and what happened. */
  readonly entries: readonly {
    readonly writer: string
    readonly seq: number
    readonly prev: string
    readonly hash: string
    readonly event: { readonly type: string; readonly tenant: string; readonly at: number }
    readonly refused?: string
  }[]
  /** Where the next page begins; at the end, where what comes later will be. */
  readonly next: string
  /** Nothing came after this when the page was made. */
  readonly end: boolean
}
