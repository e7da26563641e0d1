import type { Call } from '../../base/call.ts'
import type { ExplainedRule, ExplainedValue, Explanation } from '../../policy/tooling/explain.ts'
import { inWords } from '../../policy/words/verdict-words.ts'
import { ANSWER_STYLE, type Paint, VERDICT_LABEL, VERDICT_STYLE } from './colour.ts'
import { printable, printableJson, printableLines } from './printable.ts'

/** The verdict, who must decide, then every rule that was looked at and the values it saw. */
export function showExplanation(
  explanation: Explanation,
  call: Pick<Call, 'tool' | 'server'>,
  paint: Paint,
): string[] {
  return [
    ...showVerdict(explanation, call, paint),
    ...showPeople(explanation, paint),
    '',
    paint('bold', 'Rules looked at'),
    ...explanation.rules.flatMap((rule) => showRule(rule, paint)),
    ...showUnmatched(explanation.unmatched, paint),
  ]
}

function showVerdict(
  { verdict: { verdict, message, missing }, risk }: Explanation,
  { tool, server }: Pick<Call, 'tool' | 'server'>,
  paint: Paint,
): string[] {
  const name = server === undefined ? tool : `${server}/${tool}`
  const level = risk === undefined ? '' : paint('gray', `  risk ${risk}`)
  return [
    `${paint(VERDICT_STYLE[verdict], VERDICT_LABEL[verdict])}  ${printable(name)}${level}`,
    ...(message === ''
      ? ['  Runs without asking anyone.']
      : printableLines(message).map((line) => `  ${line}`)),
    ...missing.map((name) =>
      paint(
        'yellow',
        `  warning: {{${printable(name)}}} has no value, so its place in the message is empty`,
      ),
    ),
  ]
}

function showPeople({ verdict }: Explanation, paint: Paint): string[] {
  const { who, terms } = inWords(verdict)
  if (who.length === 0) return []
  return [
    '',
    paint('bold', 'Who must decide'),
    ...who.map((sentence) => `  ${printable(sentence)}`),
    `  ${terms.map(printable).join(' · ')}`,
  ]
}

/** One rule, its place, its answer, and below it each value it compared. */
export function showRule(
  { rule, words, place, answer, asks, why, values }: ExplainedRule,
  paint: Paint,
): string[] {
  const against = asks !== 'allow'
  const word = paint(against ? VERDICT_STYLE[asks as 'deny'] : 'gray', asks.padEnd(7))
  const where = place === undefined ? '' : paint('gray', `  ${printable(place)}`)
  const answered = answer === 'unknown' ? paint('magenta', '  unknown, so it counts') : ''
  const groups = new Set(values.map(({ group }) => group))
  return [
    `${against ? '→' : ' '} ${word}  ${printable(rule)}${where}${answered}`,
    `            ${printable(words)}`,
    ...(why === undefined ? [] : printableLines(why).map((line) => `            ${line}`)),
    ...[...groups].flatMap((group) => [
      ...(groups.size > 1 ? [paint('gray', `    group ${group + 1}`)] : []),
      ...values.filter((value) => value.group === group).map((value) => showValue(value, paint)),
    ]),
  ]
}

function showValue({ path, words, saw, answer }: ExplainedValue, paint: Paint): string {
  const word = paint(ANSWER_STYLE[answer] ?? 'gray', answer.padEnd(8))
  return `    ${word} ${printable(path)} ${printable(words)}; it saw ${printableJson(saw)}`
}

function showUnmatched(count: number, paint: Paint): string[] {
  if (count === 0) return []
  const rules = count === 1 ? '1 governance rule does' : `${count} governance rules do`
  return [paint('gray', `  ${rules} not concern this call.`)]
}
