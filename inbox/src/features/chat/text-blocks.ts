export interface TextBlock {
  readonly kind: 'text' | 'code'
  /** As the fence names it. */
  readonly language: string
  readonly text: string
}

const FENCE = /^(`{3,}|~{3,})\s*([\w+#.-]{0,40})\s*$/

/** Paragraphs and fenced code. A fence that is still open while a model writes is code to the end. */
export function blocksOf(text: string): TextBlock[] {
  const blocks: TextBlock[] = []
  let lines: string[] = []
  let fence: { readonly mark: string; readonly language: string } | undefined
  const end = () => {
    const whole = lines.join('\n')
    lines = []
    if (fence) blocks.push({ kind: 'code', language: fence.language, text: whole })
    else if (whole.trim() !== '')
      for (const part of whole.split(/\n{2,}/)) {
        if (part.trim() !== '') blocks.push({ kind: 'text', language: '', text: part.trim() })
      }
  }
  for (const line of text.split('\n')) {
    const [, mark = '', language = ''] = FENCE.exec(line.trimEnd()) ?? []
    if (fence && mark.startsWith(fence.mark) && language === '') {
      end()
      fence = undefined
    } else if (!fence && mark !== '') {
      end()
      fence = { mark, language }
    } else lines.push(line)
  }
  end()
  return blocks
}

/** Words and `code` in a paragraph. */
export function spansOf(text: string): { readonly isCode: boolean; readonly text: string }[] {
  return text.split(/(`[^`\n]{1,500}`)/).flatMap((part) => {
    if (part === '') return []
    const isCode = part.length > 2 && part.startsWith('`') && part.endsWith('`')
    return [{ isCode, text: isCode ? part.slice(1, -1) : part }]
  })
}
