import { splitUnseen } from '../../base/invisible-characters.ts'
import type { Notice } from '../../gate/notify/channel.ts'
import { saidLine, TALK } from '../notice-words.ts'
import { agreedOf, decidedAt, decidersIn } from '../outcome-words.ts'

/** What a mail says. Nothing in it decides: the link opens the inbox, where people sign in. */
export interface MailText {
  readonly subject: string
  readonly text: string
  readonly html: string
}

const FOOTER = 'Answering this mail does nothing. The link opens the inbox; you sign in there.'
const LONGEST_NAME = 120

/** How it ended has the subject of the question, so that both are one thread, where that was sent. */
export function mailText(notice: Notice, wasAsked = true): MailText {
  const { approval } = notice
  const { risk: rated, riskGuessed } = approval
  const tool = oneLine(approval.tool)
  const risk = rated === undefined ? '' : `${rated}${riskGuessed ? '?' : ''}: `
  const asked = `${risk}${tool} waits for your decision`
  const told = wasAsked ? `Re: ${asked}` : `${risk}${tool}${newsOf(notice)}`
  const subject = asksToDecide(notice) ? asked : told
  return { subject, ...bodyOf([notice]) }
}

/** A question of an approver goes to the person the agent works for, who is asked for words alone. */
export function asksToDecide({ question, kind }: Notice): boolean {
  return question && kind !== 'questioned'
}

/** Several of them in one mail, for an address that would get too many. */
export function digestText(notices: readonly Notice[]): MailText {
  const waiting = notices.filter(asksToDecide).length
  const subject =
    waiting === 0
      ? `News of ${notices.length} calls`
      : `${waiting === 1 ? '1 call waits' : `${waiting} calls wait`} for your decision`
  return { subject, ...bodyOf(notices) }
}

function bodyOf(notices: readonly Notice[]): Pick<MailText, 'text' | 'html'> {
  const parts = notices.map(linesOf)
  const text = `${parts.map(({ lines }) => lines.join('\n')).join('\n\n')}\n\n${FOOTER}\n`
  const html = parts.map(({ lines, link }) => {
    const said = lines.filter((line) => line !== link).map(escaped)
    const open =
      link === undefined ? '' : `<p><a href="${escaped(link)}">Open it in the inbox</a></p>`
    return `<p style="white-space:pre-wrap">${said.join('<br>')}</p>${open}`
  })
  return { text, html: `<div>${html.join('<hr>')}<p>${escaped(FOOTER)}</p></div>` }
}

function linesOf(notice: Notice) {
  const { approval, question, kind, link, unreachable } = notice
  const { tool, agent, message, decideBy } = approval
  const lines = question
    ? [
        ...(kind === 'reminded' ? ['Reminder.'] : []),
        ...talkLines(notice),
        message === '' ? `May ${agent} run ${tool}?` : message,
        `Asked by ${agent}. Decide by ${new Date(decideBy).toUTCString()}.`,
        ...[agreedOf(approval) ?? []].flat().map((agreed) => `${agreed}.`),
      ]
    : [
        `${tool}${newsOf(notice)}${unreachable ? `: ${unreachable.says}` : ''}.`,
        ...whoDecided(approval),
      ]
  return { lines: [...lines.map(visible), ...(link === undefined ? [] : [link])], link }
}

/** What was said, quoted: it is foreign text. */
function talkLines(notice: Notice): string[] {
  const news = TALK[notice.kind]
  if (news === undefined) return []
  const said = saidLine(notice)
  return [`${news.charAt(0).toUpperCase()}${news.slice(1)}.`, ...(said === undefined ? [] : [said])]
}

function whoDecided(approval: Notice['approval']): string[] {
  const [by, at] = [decidersIn(approval), decidedAt(approval)]
  return by === undefined || at === undefined
    ? []
    : [`Decided by ${by}, ${new Date(at).toUTCString()}.`]
}

/** As it follows the name of the tool. */
function newsOf({ kind, approval: { status, execution }, unreachable }: Notice): string {
  if (kind === 'questioned') return `: ${TALK[kind]}`
  if (unreachable) return ' lacks eligible approvers'
  return `: ${execution === undefined ? status : `${status}, ${execution}`}`
}

/** For headers: a name of a tool begins no header of its own. */
function oneLine(text: string): string {
  return visible(text).replaceAll(/\s+/g, ' ').slice(0, LONGEST_NAME)
}

function visible(text: string): string {
  return splitUnseen(text)
    .map(({ text: part, unseen }) => (unseen ? `[${part}]` : part))
    .join('')
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
