import type { Approval } from '../../approval/approval.ts'
import { openQuestions, type Remark } from '../../approval/talk.ts'
import type { Content } from '../../approval/transition.ts'
import type { Store } from '../../store/store.ts'

/** What an approver asked, for the agent. Who asked stays with the people. */
export interface AskedBack {
  readonly text: string
  readonly at: number
}

/** Open questions of an approval. What was erased is left out. */
export async function askedBackOf(
  { store }: { readonly store: Store },
  approval: Approval,
): Promise<readonly AskedBack[]> {
  const open = openQuestions(approval)
  if (open.length === 0) return []
  const content = await store.content(approval.id, ['remark'])
  return open.flatMap((one) => {
    const text = remarkText(content, one)
    return text === undefined ? [] : [{ text, at: one.at }]
  })
}

export function remarkText(
  content: readonly Content[],
  { content: key }: Remark,
): string | undefined {
  const found = content.find((one) => one.key === key)?.value
  return typeof found === 'string' ? found : undefined
}
