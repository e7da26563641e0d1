import { inEnglish, type Tell } from '../../base/tell.ts'
import type { WirePreview } from './preview.ts'

/*
 * The words around a preview, the same on every surface: whose statement it is, what it is about, and
 * why there is none.
 */

export const previewTitle = (tell: Tell = inEnglish) => tell.text('Preview by the program')

export const previewUnchecked = (tell: Tell = inEnglish) => tell.text('Not checked by Countersign.')

export const previewOfAsked = (tell: Tell = inEnglish) =>
  tell.text(
    'Made for the call as it was asked. It was edited since, and may do something else now.',
  )

/** Why there is no preview although the program makes them. */
export function previewFailure(
  { failed }: Pick<WirePreview, 'failed'>,
  tell: Tell = inEnglish,
): string | undefined {
  switch (failed) {
    case undefined:
      return undefined
    case 'threw':
      return tell.text('No preview: it failed.')
    case 'timed_out':
      return tell.text('No preview: it took too long.')
    case 'invalid':
      return tell.text('No preview: what the program made is not one.')
    case 'too_large':
      return tell.text('No preview: it is too large to be shown.')
    case 'unknown':
      return tell.text('No preview: it is no longer kept, or was changed since it was shown.')
  }
}

/** `the first 2 of 31 rows`. */
export function previewRows(
  { rows, total }: NonNullable<WirePreview['table']>,
  tell: Tell = inEnglish,
): string {
  const count = (n: number) => tell.plural(n, '{n} row', '{n} rows')
  if (total === undefined || total === rows.length) return count(rows.length)
  return tell.text('the first {n} of {rows}', {
    n: rows.length.toLocaleString('en-US'),
    rows: count(total),
  })
}
