import type { Notice, Share } from './channel.ts'

/**
 * The notice as it may leave. The default question holds every argument that is not masked, so a
 * message is shared only where the owner of the policy worded it.
 */
export function shared(notice: Notice, share: Share = 'name'): Notice {
  const { approval } = notice
  if (share !== 'name' && approval.authored) return notice
  const { authored: _, ...named } = approval
  const message = approval.message === '' ? '' : `May ${approval.agent} run ${approval.tool}?`
  return { ...notice, approval: { ...named, message } }
}
