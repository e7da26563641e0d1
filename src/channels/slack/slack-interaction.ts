import { CountersignError } from '../../base/errors.ts'
import type { Share } from '../../gate/notify/channel.ts'
import type { ChannelHost, ChatAccount } from '../../gate/notify/channel-host.ts'
import { sentenceOf, unfitting } from '../chat/sentence.ts'
import { textAt } from '../chat/text-at.ts'
import type { SlackCall } from './slack-api.ts'
import { ACTIONS } from './slack-blocks.ts'
import { DECIDE, decideModal, FIELDS, type ModalName, sentenceModal } from './slack-modal.ts'
import type { Member, SlackWorkspace } from './slack-workspace.ts'

export interface Interaction {
  readonly host: ChannelHost
  readonly call: SlackCall
  readonly workspace: SlackWorkspace
  readonly share: Share
}

/** What Slack should be answered; empty: nothing more than that it arrived. */
export type InteractionAnswer = Readonly<Record<string, unknown>> | undefined

/** Slack shows an error to the person after three seconds. */
const PATIENCE = 2_500
const STRANGER = 'Only full members of this workspace can answer. Open the inbox instead.'
export const UNANSWERED = 'Slack does not say who you are right now. Open the inbox instead.'

/** A button or a modal. What proves that Slack sent it was checked before. */
export async function interact(parts: Interaction, payload: unknown): Promise<InteractionAnswer> {
  const type = textAt(payload, 'type')
  if (type === 'block_actions') {
    await opened(parts, payload)
    return undefined
  }
  return type === 'view_submission' ? submitted(parts, payload) : undefined
}

async function opened(parts: Interaction, payload: unknown): Promise<void> {
  const actions = (payload as { readonly actions?: unknown }).actions
  const [action] = Array.isArray(actions) ? (actions as readonly unknown[]) : []
  if (textAt(action, 'action_id') !== ACTIONS.open) return
  const id = textAt(action, 'value')
  const trigger_id = textAt(payload, 'trigger_id')
  const view = await viewFor(parts, payload, id)
  await parts.call('views.open', { trigger_id, view }, AbortSignal.timeout(PATIENCE))
}

async function viewFor({ host, workspace, share }: Interaction, payload: unknown, id: string) {
  const link = host.link(id)
  try {
    const { account } = await accountOf(workspace, payload)
    const card = await host.card(account, id)
    if (card.refusal !== undefined) return sentenceModal(card.refusal, link)
    if (share !== 'arguments') {
      return sentenceModal('The arguments of calls are shown in the inbox only.', link)
    }
    const view = decideModal({ card, user: account.id })
    return 'why' in view ? sentenceModal(`${view.why} Open the inbox to decide.`, link) : view
  } catch (error) {
    return sentenceModal(sentenceOf(error, UNANSWERED), link)
  }
}

async function submitted(
  { host, workspace, share }: Interaction,
  payload: unknown,
): Promise<InteractionAnswer> {
  const view = (payload as { readonly view?: unknown }).view
  if (textAt(view, 'callback_id') !== DECIDE) return undefined
  try {
    const { account } = await accountOf(workspace, payload)
    const name = readName(textAt(view, 'private_metadata'))
    const verdict = textAt(
      view,
      'state',
      'values',
      FIELDS.verdict,
      FIELDS.verdict,
      'selected_option',
      'value',
    )
    const reason = textAt(view, 'state', 'values', FIELDS.reason, FIELDS.reason, 'value').trim()
    if (share !== 'arguments' || name?.user !== account.id) throw unfitting()
    if (verdict !== 'approve' && verdict !== 'deny') throw unfitting()
    await host.decide(account, {
      approval: name.id,
      verdict,
      seen: name.digest,
      ...(reason === '' ? {} : { reason }),
    })
    return undefined
  } catch (error) {
    return {
      response_action: 'errors',
      errors: { [FIELDS.verdict]: sentenceOf(error, UNANSWERED) },
    }
  }
}

/** Who sent it: a full member of our own workspace, as Slack knows them at this moment. */
export async function accountOf(
  workspace: SlackWorkspace,
  payload: unknown,
): Promise<{ readonly account: ChatAccount; readonly member: Member }> {
  const signal = AbortSignal.timeout(PATIENCE)
  const { team } = await workspace.own(signal)
  const user = textAt(payload, 'user', 'id')
  // A user of another workspace in a shared channel has its own; the payload has ours then.
  const theirs = textAt(payload, 'user', 'team_id') || team
  if (textAt(payload, 'team', 'id') !== team || theirs !== team) throw stranger()
  const member = await workspace.member(user, signal)
  if (member?.id !== user) throw stranger()
  return { account: { workspace: team, id: user }, member }
}

/** It was in the view that we opened, so it is what the person read. */
function readName(text: string): ModalName | undefined {
  try {
    const { id, digest, user } = JSON.parse(text) as Partial<Record<keyof ModalName, unknown>>
    const isName = [id, digest, user].every((one) => typeof one === 'string')
    return isName ? ({ id, digest, user } as ModalName) : undefined
  } catch {
    return undefined
  }
}

function stranger(): CountersignError {
  return new CountersignError('not_permitted', STRANGER)
}
