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
