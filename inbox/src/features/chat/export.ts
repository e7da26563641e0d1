import type { UIMessage } from 'ai'
import { t } from '../../lib/language/t.ts'
import { isTool, stageOf, toolName } from './parts.ts'

/** The conversation as text, with every call, for people to keep. */
export function asMarkdown(title: string, messages: readonly UIMessage[]): string {
  const said = messages.map(({ role, parts }) => {
    const lines = parts.flatMap((part) => {
      if (part.type === 'text') return [part.text]
      if (!isTool(part)) return []
      const call = { tool: toolName(part), stage: stageOf(part), arguments: part.input }
      const end =
        part.state === 'output-available'
          ? { result: part.output }
          : part.state === 'output-error'
            ? { error: part.errorText }
            : { reason: part.approval?.reason }
      return [fenced(JSON.stringify({ ...call, ...end }, undefined, 2))]
    })
    return `## ${role === 'user' ? t('Person') : t('Model')}\n\n${lines.join('\n\n')}`
  })
  return `# ${title}\n\n${said.join('\n\n')}\n`
}

/** A fence longer than any run of backticks inside, so that nothing inside can end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}json\n${text}\n${fence}`
}
