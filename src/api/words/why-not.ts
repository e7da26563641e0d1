import type { Tell } from '../../base/tell.ts'
import type { NotMine } from './not-mine.ts'

/** Why the reader may not decide, as a sentence. */
export function whyNotWords(because: NotMine, tell: Tell): string {
  switch (because.code) {
    case 'decided':
      return decidedWords(because.status, tell)
    case 'locked':
      return lockedWords(because, tell)
    case 'answered':
      return tell.text('You have already said yes; it waits for others.')
    case 'own_call':
      return tell.text(
        'Another person must approve this: you asked for it, or the agent works for you.',
      )
    case 'not_asked':
      return tell.text('You are not among the people who are asked.')
    case 'assurance':
      return because.assurance === 'passkey'
        ? tell.text('A yes here needs a stronger sign-in: passkey.')
        : tell.text('A yes here needs a stronger sign-in: signed-in.')
  }
}

function decidedWords(status: string | undefined, tell: Tell): string {
  switch (status) {
    case 'approved':
      return tell.text('It is already approved.')
    case 'denied':
      return tell.text('It is already denied.')
    case 'expired':
      return tell.text('It is already expired.')
    case 'withdrawn':
      return tell.text('It is already withdrawn.')
    default:
      return tell.text('It is already invalidated.')
  }
}

function lockedWords({ target = { everything: true }, reason = '' }: NotMine, tell: Tell): string {
  // What people write ends as they end it.
  const why = /[.!?…]$/.test(reason) ? reason : `${reason}.`
  if ('everything' in target) return tell.text('Everything is locked: {why}', { why })
  if ('agent' in target) {
    return tell.text('Agent {agent} is locked: {why}', { agent: target.agent, why })
  }
  if ('server' in target) {
    const { server, tool } = target
    return tool === undefined
      ? tell.text('Server {server} is locked: {why}', { server, why })
      : tell.text('Tool {tool} of server {server} is locked: {why}', { tool, server, why })
  }
  if ('tool' in target) return tell.text('Tool {tool} is locked: {why}', { tool: target.tool, why })
  if ('approval' in target) return tell.text('This approval is locked: {why}', { why })
  return tell.text('You are locked: {why}', { why })
}
