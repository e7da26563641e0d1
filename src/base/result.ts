/** What a reader of small texts (paths, patterns, durations) answers instead of throwing. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string }

export function success<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function failure(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}
