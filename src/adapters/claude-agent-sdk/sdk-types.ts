/**
 * As much of the SDK's types as is used here. The package is large and not free software, so
 * nothing of it is imported; `npm run proof claude` compares these with the real ones.
 */
export type HookCallback = (
  input: never,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => Promise<object>

export interface HookMatcher {
  matcher?: string
  hooks: HookCallback[]
  /** Seconds. */
  timeout?: number
  onFailure?: 'continue' | 'block'
}

export type Hooks = { readonly [event: string]: HookMatcher[] | undefined }

export interface QueryOptions {
  readonly hooks?: Hooks
}
