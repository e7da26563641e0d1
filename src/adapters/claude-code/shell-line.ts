/**
 * What a shell line names, as far as that shows without running it. Not a parser: each reading is
 * text in which quotes, escapes, variables of the line and braces are replaced by what they become.
 */
export interface ShellLine {
  /** The whole line, once for each way to read it. */
  readonly readings: readonly string[]
  /** Its commands in order, once for each way to take it apart. */
  readonly sequences: readonly (readonly ShellCommand[])[]
}

export interface ShellCommand {
  readonly verb: string
  readonly tokens: readonly string[]
  /** Everything that may be a path: tokens, and their parts at `=`, `,` and `:`. */
  readonly words: readonly string[]
  /** Operands as written, without options. */
  readonly operands: readonly string[]
  readonly options: readonly string[]
  /** Where output is redirected to. */
  readonly targets: readonly string[]
}

type Variables = ReadonlyMap<string, string>

const MOST_BRACES = 64
const PASSES = 4

export function readShellLine(line: string, known: Readonly<Record<string, string>>): ShellLine {
  const joined = decodeAnsi(line.replaceAll(/\\\r?\n/g, ''))
  const expanded = expandVariables(joined, known)
  const readings = [
    ...new Set(
      [joined, expanded, withoutUnknown(expanded), joinLiterals(expanded)].map((text) =>
        unquoted(text),
      ),
    ),
  ]
  return { readings, sequences: readings.flatMap(sequencesOf) }
}

/** Once with groups and substitutions taken apart, once with braces left whole. */
function sequencesOf(text: string): ShellCommand[][] {
  return [/[;&|\n(){}]+/, /[;&|\n]+/].map((between) =>
    text
      .split(between)
      .map(commandOf)
      .filter(({ verb }) => verb !== ''),
  )
}

/** `$'\x63'`, `$'\143'` and `$'\u0063'` are letters. */
function decodeAnsi(text: string): string {
  return text.replaceAll(/\$'((?:[^'\\]|\\.)*)'/gs, (_, inside: string) =>
    inside.replaceAll(
      /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|([0-7]{1,3})|(.))/gis,
      (whole, x?: string, u?: string, big?: string, octal?: string, other?: string) => {
        if (other !== undefined) return other
        const hex = x ?? u ?? big
        const code = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16)
        return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
      },
    ),
  )
}

const ASSIGNED = /(?:^|[\s;&|(])([A-Za-z_]\w*)\+?=("[^"]*"|'[^']*'|[^\s;&|)]*)/g

/** `c=counter; rm ${c}sign.yaml` names the file as well. */
function expandVariables(text: string, known: Readonly<Record<string, string>>): string {
  const variables = new Map(Object.entries(known))
  for (const [, name = '', value = ''] of text.matchAll(ASSIGNED)) {
    variables.set(name, unquoted(value))
  }
  let now = text
  for (let pass = 0; pass < PASSES; pass++) {
    const next = substitute(now, variables)
    if (next === now) break
    now = next
  }
  return now
}

function substitute(text: string, variables: Variables): string {
  return text
    .replaceAll(
      /\$\{([A-Za-z_]\w*)(?::?[-=]([^}]*))?\}/g,
      (whole, name: string, fallback?: string) => variables.get(name) ?? fallback ?? whole,
    )
    .replaceAll(/\$([A-Za-z_]\w*)/g, (whole, name: string) => variables.get(name) ?? whole)
}

/** What is not known may be empty: `counter$@sign.yaml`, `counter$(true)sign.yaml`. */
function withoutUnknown(text: string): string {
  return text.replaceAll(/\$\{[^}]*\}|\$\([^()]*\)|`[^`]*`|\$[@*#?!\-0-9]|\$[A-Za-z_]\w*/g, '')
}

/** `'counter' + 'sign.yaml'` in the code of another language. */
function joinLiterals(text: string): string {
  return text.replaceAll(/(['"`])\s*(?:[+,.]\s*)?(['"`])/g, '')
}

/** Quotes and escapes inside a word change nothing for a shell. */
function unquoted(text: string): string {
  return text.replaceAll(/['"\\`^]/g, '')
}

const PREFIXES =
  /^(?:sudo|doas|env|command|exec|nohup|nice|ionice|timeout|setsid|stdbuf|time|builtin|then|do|else|if|while|until|!|xargs|busybox)$/
/** What may stand between such a word and the command: options, numbers, assignments. */
const BETWEEN = /^(?:-.*|\d+[smhd]?|\w+\+?=.*)$/s

function commandOf(text: string): ShellCommand {
  const targets = [...text.matchAll(/>{1,2}[|&]?\s*([^\s<>]+)/g)].map(([, target = '']) => target)
  const tokens = text.split(/[\s<>]+/).filter((token) => token !== '')
  const first = tokens.findIndex((token) => !PREFIXES.test(token) && !BETWEEN.test(token))
  const behind = first === -1 ? [] : tokens.slice(first + 1)
  const all = tokens.flatMap((token) => braces(token))
  return {
    verb: (tokens[first] ?? tokens[0] ?? '').replace(/^.*[\\/]/, ''),
    tokens,
    words: [
      ...new Set(all.flatMap((word) => [word, ...word.split(/[=,:]+/), attached(word)])),
    ].filter((word) => word !== ''),
    operands: behind.filter((token) => !token.startsWith('-')).flatMap((token) => braces(token)),
    options: behind.filter((token) => token.startsWith('-')),
    targets,
  }
}

/** `-osub/file`: an option and its value in one word. */
function attached(word: string): string {
  return /^-[A-Za-z](.+)$/s.exec(word)?.[1] ?? ''
}

/** `{a,b}c` is `ac bc`. */
function braces(word: string): string[] {
  let words = [word]
  while (words.length < MOST_BRACES) {
    const next = words.flatMap((one) => {
      const [whole, inside] = /\{([^{}]*,[^{}]*)\}/.exec(one) ?? []
      if (whole === undefined || inside === undefined) return [one]
      return inside.split(',').map((choice) => one.replace(whole, () => choice))
    })
    if (next.length === words.length && next.every((one, at) => one === words[at])) break
    words = next
  }
  return words
}
