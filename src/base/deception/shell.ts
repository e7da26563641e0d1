/**
 * Shell commands cut into what runs: pipelines of commands, quotes taken off. Only as much of the
 * grammar as it takes to find a program that is run and not merely named in a text or a comment.
 */
export interface ShellCommand {
  readonly line: number
  readonly words: readonly ShellWord[]
  /** What stands in a here-document: the input of the command. */
  readonly input: readonly string[]
}

export interface ShellWord {
  readonly text: string
  /** What runs to make this word: `$(…)`, `` `…` ``, `<(…)`. */
  readonly inner: readonly Pipeline[]
}

export type Pipeline = readonly ShellCommand[]

/** Deeper substitutions are read as text: a hostile command must not exhaust the stack. */
const DEEPEST = 24

type Closing = ')' | '`'

/** Every character is read once. */
export function shellPipelines(text: string): readonly Pipeline[] {
  let at = 0
  let line = 1
  let depth = 0
  return list(undefined)

  function list(closing: Closing | undefined): readonly Pipeline[] {
    const pipelines: Pipeline[] = []
    let commands: ShellCommand[] = []
    let words: ShellWord[] = []
    let input: string[] = []
    let ends: { readonly word: string; readonly input: string[] }[] = []
    let first = line
    const endCommand = () => {
      if (words.length > 0) commands.push({ line: first, words, input })
      words = []
      input = []
    }
    const endPipeline = () => {
      endCommand()
      if (commands.length > 0) pipelines.push(commands)
      commands = []
    }
    while (at < text.length) {
      const char = text[at] ?? ''
      if (char === closing) {
        at += 1
        break
      }
      if (char === '\n') {
        at += 1
        line += 1
        endPipeline()
        for (const { word, input: into } of ends) into.push(document(word))
        ends = []
      } else if (char === ' ' || char === '\t' || char === '\r') at += 1
      else if (char === '\\' && text[at + 1] === '\n') {
        // The line goes on: no word begins here, or the next one would not be the program.
        at += 2
        line += 1
      } else if (char === '#') skipComment()
      else if (char === '|' && text[at + 1] !== '|') {
        at += text[at + 1] === '&' ? 2 : 1
        endCommand()
      } else if (char === '<' && text[at + 1] === '<' && text[at + 2] !== '<') {
        at += text[at + 2] === '-' ? 3 : 2
        while (text[at] === ' ') at += 1
        ends.push({ word: word(closing).text, input })
      } else if (';&|(){}'.includes(char)) {
        at += 1
        endPipeline()
      } else {
        if (words.length === 0) first = line
        words.push(word(closing))
      }
    }
    endPipeline()
    return pipelines
  }

  function skipComment(): void {
    while (at < text.length && text[at] !== '\n') at += 1
  }

  /** The lines up to the one that is this word. */
  function document(end: string): string {
    const lines: string[] = []
    while (at < text.length) {
      const stop = text.indexOf('\n', at)
      const next = text.slice(at, stop < 0 ? text.length : stop)
      at = stop < 0 ? text.length : stop + 1
      line += 1
      if (next.replace(/^\t+/, '') === end) break
      lines.push(next)
    }
    return lines.join('\n')
  }

  function word(closing: Closing | undefined): ShellWord {
    let read = ''
    const inner: Pipeline[] = []
    const start = at
    while (at < text.length) {
      const char = text[at] ?? ''
      if (char === closing || ' \t\r\n;&|(){}'.includes(char)) break
      if (char === "'") quoted()
      else if (char === '"') doubled()
      else if (!substituted(char)) {
        // A line that goes on, or one character as itself.
        if (char === '\\') at += 1
        if (text[at] === '\n') line += 1
        else read += text[at] ?? ''
        at += 1
      }
    }
    // What begins like a word and is none must not hold the reader up.
    if (at === start) at += 1
    return { text: read, inner }

    function quoted(): void {
      const end = text.indexOf("'", at + 1)
      take(text.slice(at + 1, end < 0 ? text.length : end))
      at = end < 0 ? text.length : end + 1
    }

    function doubled(): void {
      at += 1
      while (at < text.length && text[at] !== '"') {
        if (substituted(text[at] ?? '')) continue
        if (text[at] === '\\' && at + 1 < text.length) at += 1
        take(text[at] ?? '')
        at += 1
      }
      at += 1
    }

    function take(some: string): void {
      read += some
      line += some.split('\n').length - 1
    }

    function substituted(char: string): boolean {
      const isBackquote = char === '`' && closing !== '`'
      const isOpen = (char === '$' || char === '<') && text[at + 1] === '('
      if ((!isBackquote && !isOpen) || depth >= DEEPEST) return false
      at += isBackquote ? 1 : 2
      depth += 1
      // One by one: there may be more than a function takes arguments.
      for (const pipeline of list(isBackquote ? '`' : ')')) inner.push(pipeline)
      depth -= 1
      return true
    }
  }
}
