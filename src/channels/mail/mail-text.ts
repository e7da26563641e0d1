import { splitUnseen } from '../../base/invisible-characters.ts'
import type { Notice } from '../../gate/notify/channel.ts'

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
  const { approval, question } = notice
  const { risk: rated, riskGuessed } = approval
  const tool = oneLine(approval.tool)
  const risk = rated === undefined ? '' : `${rated}${riskGuessed ? '?' : ''}: `
  const asked = `${risk}${tool} waits for your decision`
  const told = wasAsked ? `Re: ${asked}` : `${risk}${tool}${newsOf(notice)}`
  return { subject: question ? asked : told, ...bodyOf([notice]) }
}

/** Several of them in one mail, for an address that would get too many. */
export function digestText(notices: readonly Notice[]): MailText {
  const waiting = notices.filter(({ question }) => question).length
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
        message === '' ? `May ${agent} run ${tool}?` : message,
        `Asked by ${agent}. Decide by ${new Date(decideBy).toUTCString()}.`,
      ]
    : [`${tool}${newsOf(notice)}${unreachable ? `: ${unreachable.says}` : ''}.`]
  return { lines: [...lines.map(visible), ...(link === undefined ? [] : [link])], link }
}

/** As it follows the name of the tool. */
function newsOf({ approval: { status, execution }, unreachable }: Notice): string {
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
