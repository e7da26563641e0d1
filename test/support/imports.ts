/** Comments say things that code must not; they are not code. */
export function withoutComments(source: string): string {
  const piece =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g
  return source.replace(piece, (text) => (/^\/[/*]/.test(text) ? ' ' : text))
}

/**
 * What a module names in `import`, `export … from`, `import()` (types too) and `require()`. An
 * `import()` of something other than a literal is listed as `?`.
 */
export function importsOf(source: string): string[] {
  const code = withoutComments(source)
  const named = /\b(?:import|export)\b[^'"`;()]*?\bfrom\s*(['"])(.+?)\1/g
  const bare = /\bimport\s*(['"])(.+?)\1/g
  const called =
    /\b(?:import|require|import\.meta\.resolve)\s*\(\s*(?:(['"`])([^'"`$]+?)\1\s*[,)]|[^)\s])/g
  return [named, bare, called].flatMap((form) =>
    [...code.matchAll(form)].map((match) => match[2] ?? '?'),
  )
}

export interface Imported {
  readonly specifier: string
  /** Gone once types are stripped: `import type`, or nothing but types between the braces. */
  readonly isTypeOnly: boolean
}

/** What a module imports from files beside it, and whether anything of it is there at run time. */
export function relativeImports(source: string): Imported[] {
  const code = withoutComments(source)
  const named =
    /\b(?:import|export)\s+(type\s+)?((?:[\w$]+\s*,\s*)?(?:\{[^}]*\}|\*(?:\s*as\s+[\w$]+)?)|[\w$]+)\s*from\s*(['"])(\.{1,2}\/.+?)\3/g
  const bare = /\bimport\s*(['"])(\.{1,2}\/.+?)\1/g
  const called =
    /(\btypeof\s+)?\b(?:import|require)\s*\(\s*(['"`])(\.{1,2}\/[^'"`$]+?)\2[^)]*\)(\.[A-Z])?/g
  return [
    ...[...code.matchAll(named)].map(([, type, names = '', , specifier = '']) => ({
      specifier,
      isTypeOnly: type !== undefined || namesOnlyTypes(names),
    })),
    ...[...code.matchAll(bare)].map(([, , specifier = '']) => ({ specifier, isTypeOnly: false })),
    ...[...code.matchAll(called)].map(([, queried, , specifier = '', member]) => ({
      specifier,
      isTypeOnly: queried !== undefined || member !== undefined,
    })),
  ]
}

function namesOnlyTypes(names: string): boolean {
  const [, inside] = /^\{([^}]*)\}\s*$/.exec(names.trim()) ?? []
  if (inside === undefined) return false
  const all = inside.split(',').map((name) => name.trim())
  return all.every((name) => name === '' || name.startsWith('type '))
}

/** Groups of modules that reach each other in a circle (Tarjan), each sorted by name. */
export function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (name: string): number => {
    const index = order.size
    order.set(name, index)
    stack.push(name)
    let lowest = index
    for (const next of graph.get(name) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next))
      else if (stack.includes(next))
        lowest = Math.min(lowest, low.get(next) ?? order.get(next) ?? 0)
    }
    low.set(name, lowest)
    if (lowest === index) {
      const members = stack.splice(stack.indexOf(name))
      const isOwn = graph.get(name)?.includes(name) ?? false
      if (members.length > 1 || isOwn) cycles.push(members.toSorted())
    }
    return lowest
  }
  for (const name of graph.keys()) if (!order.has(name)) visit(name)
  return cycles.toSorted((one, other) => (one[0] ?? '').localeCompare(other[0] ?? ''))
}
