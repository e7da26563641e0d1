import type { WirePreview } from './preview.ts'

/*
 * The words around a preview, the same on every surface: whose statement it is, what it is about, and
 * why there is none.
 */

export const PREVIEW_TITLE = 'Preview by the program'
export const PREVIEW_UNCHECKED = 'Not checked by Countersign.'
export const PREVIEW_OF_ASKED =
  'Made for the call as it was asked. It was edited since, and may do something else now.'

const FAILURES: Readonly<Record<NonNullable<WirePreview['failed']>, string>> = {
  threw: 'No preview: it failed.',
  timed_out: 'No preview: it took too long.',
  invalid: 'No preview: what the program made is not one.',
  too_large: 'No preview: it is too large to be shown.',
  unknown: 'No preview: it is no longer kept, or was changed since it was shown.',
}

/** Why there is no preview although the program makes them. */
export function previewFailure({ failed }: Pick<WirePreview, 'failed'>): string | undefined {
  return failed === undefined ? undefined : FAILURES[failed]
}

/** `2 of 31 rows`. */
export function previewRows({ rows, total }: NonNullable<WirePreview['table']>): string {
  const count = (n: number) => `${n.toLocaleString('en-US')} ${n === 1 ? 'row' : 'rows'}`
  if (total === undefined || total === rows.length) return count(rows.length)
  return `the first ${rows.length.toLocaleString('en-US')} of ${count(total)}`
}
