import type { AskedCall } from '../../approval/approval.ts'
import type { Content } from '../../approval/transition.ts'
import { canonicalJson, freshParse } from '../../base/json/canonical.ts'
import { digestOf } from '../../base/json/digest.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { MadePreview, Preview, PreviewTable } from '../../base/preview/preview.ts'
import { MASK, mask } from '../../base/secrets/mask.ts'
import { isSecretName } from '../../base/secrets/secret-name.ts'

/*
 * What people were shown beside the arguments. It has a digest of its own, which the record of asking
 * holds; the digest of the call stays that of the call, so that a preview that would say something else
 * a minute later makes no second question and voids no yes.
 */

/** As it is kept and shown: secrets replaced by the rules that hide arguments. */
export function previewText(made: MadePreview, hidden: readonly string[]): string {
  const named = 'preview' in made ? { preview: withoutNamed(made.preview) } : made
  return canonicalJson(mask(named, { known: hidden }).value)
}

/** In a preview the name of a value stands beside it, and not before it as in arguments. */
function withoutNamed({ facts, table, changes, ...rest }: Preview): Preview {
  return {
    ...rest,
    ...(facts ? { facts: facts.map((one) => hideBeside(one, { value: MASK })) } : {}),
    ...(table ? { table: withoutNamedColumns(table) } : {}),
    ...(changes
      ? { changes: changes.map((one) => hideBeside(one, { before: MASK, after: MASK })) }
      : {}),
  }
}

function hideBeside<T extends { readonly label: string }>(one: T, hidden: Partial<T>): T {
  return isSecretName(one.label) ? { ...one, ...hidden } : one
}

function withoutNamedColumns({ columns, rows, ...rest }: PreviewTable): PreviewTable {
  const hidden = columns.map(isSecretName)
  const names = columns.map((column, at) => at === 0 || NAMES.test(column))
  return { columns, rows: rows.map(withoutNamedCells), ...rest }

  /** Below a column of that name, or after a cell that names what follows it. */
  function withoutNamedCells(row: PreviewTable['rows'][number]): PreviewTable['rows'][number] {
    const named = row.findIndex(
      (cell, at) => names[at] === true && typeof cell === 'string' && isSecretName(cell),
    )
    const isAfter = (at: number) => named >= 0 && at > named
    return row.map((cell, at) => (hidden[at] || isAfter(at) ? MASK : cell))
  }
}

/** Columns whose cells name what the next ones hold, besides the first. */
const NAMES = /^(?:name|key|field|column|header|variable|setting|option|property)$/i

export function previewDigest(text: string): Promise<string> {
  return digestOf('preview', text)
}

export type ShownPreview =
  | { readonly isKnown: true; readonly made: MadePreview | undefined }
  /** Erased, or changed in the database: what people were shown is no longer known. */
  | { readonly isKnown: false }

export const NO_PREVIEW: ShownPreview = { isKnown: true, made: undefined }

/** The preview of an approval: the very one whose digest the record holds. */
export async function shownPreview(
  { preview: digest }: Pick<AskedCall, 'preview'>,
  content: readonly Content[],
): Promise<ShownPreview> {
  if (digest === undefined) return NO_PREVIEW
  const [first] = content.filter(({ kind }) => kind === 'question')
  const text = isPlainObject(first?.value) ? first.value.preview : undefined
  if (typeof text !== 'string' || (await previewDigest(text)) !== digest) return { isKnown: false }
  return { isKnown: true, made: freshParse(text) as unknown as MadePreview }
}
