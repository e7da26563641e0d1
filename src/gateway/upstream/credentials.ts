/** What one server is sent as credentials, where a person signed in there. */
export interface ServerCredentials {
  /** What to send as `authorization`; undefined where no person signed in, or not any more. */
  header(): Promise<string | undefined>
  /** Whether a person signed in, as of the last look: also where nothing can be sent just now. */
  isThere(): boolean
  /** The server refused what was sent. True where there is something else to send. */
  refused(refusal: Refusal): Promise<boolean>
  /** What is wrong, and what a person has to do about it. */
  says(): string
  /** Every token that was sent since the start, as it grows: no result and no log may show one. */
  readonly secrets: readonly string[]
  /** A person signed in or out, here or in another process. Returns the way out. */
  onChange(changed: () => void): () => void
}

export interface Refusal {
  readonly status: number
  /** Its `www-authenticate`. */
  readonly challenge: string | undefined
  readonly sent: string | undefined
}
