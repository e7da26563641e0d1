import type { Notice, Share } from './channel.ts'

/**
 * The notice as it may leave. The default question holds every argument that is not masked, so a
 * message is shared only where the owner of the policy worded it.
 */
export function shared(notice: Notice, share: Share = 'name'): Notice {
  const { approval, said } = notice
  // What people and agents write may name anything.
  if (share === 'name' && said) return { ...shared(without(notice), share), said: { by: said.by } }
  if (share !== 'name' && approval.authored) return notice
  const { authored: _, ...named } = approval
  const message = approval.message === '' ? '' : `May ${approval.agent} run ${approval.tool}?`
  return { ...notice, approval: { ...named, message } }
}

function without({ said: _, ...notice }: Notice): Notice {
  return notice
}
