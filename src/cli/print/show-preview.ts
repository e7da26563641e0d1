import type { ApprovalCard } from '../../api/approval.ts'
import { changedLines } from '../../api/arguments/line-diff.ts'
import {
  previewFailure,
  previewOfAsked,
  previewRows,
  previewTitle,
  previewUnchecked,
} from '../../api/preview/preview-words.ts'
import type { Paint } from './colour.ts'
import { printable } from './printable.ts'
import { changeLines, tableLines, textLines } from './show-arguments.ts'

/** What the program says of its call. Everything behind a bar is the program's own. */
export function previewLines({ preview }: ApprovalCard, paint: Paint): string[] {
  if (preview === undefined) return []
  const { summary, facts = [], table, changes = [], text, ofAsked } = preview
  const failure = previewFailure(preview)
  return [
    '',
    paint('bold', `${previewTitle()}. ${previewUnchecked()}`),
    ...(ofAsked ? [paint('yellow', `  ${previewOfAsked()}`)] : []),
    ...(failure === undefined ? [] : [paint('yellow', `  ${failure}`)]),
    ...(summary === undefined ? [] : textLines(summary)),
    ...facts.flatMap(({ label, value }) => textLines(`${oneLine(label)}: ${oneLine(value)}`)),
    ...(table ? [`  ${previewRows(table)}:`, ...tableLines(table.columns, table.rows)] : []),
    ...changes.flatMap(({ label, before, after }) => [
      `  change of ${printable(JSON.stringify(label))}:`,
      ...changeLines(changedLines(before, after), paint),
    ]),
    ...(text === undefined ? [] : ['  text:', ...textLines(text)]),
    paint('dim', `  digest of the preview ${preview.digest}`),
  ]
}

/** A label or value of several lines stays on one, with its line ends written out. */
function oneLine(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\n', '\\n') : String(value)
}
