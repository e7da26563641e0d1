import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSplitter, type Line } from './lines.ts'

/** The lines of a text that arrives in these pieces, through one buffer that is used again. */
function split(pieces: readonly string[], longest = 10): (string | undefined)[] {
  const splitter = createSplitter(longest)
  const shared = Buffer.alloc(100)
  const lines: (string | undefined)[] = []
  // Read at once: a line is only there until the next chunk.
  const take = (some: readonly Line[]) =>
    lines.push(...some.map((line) => line && Buffer.from(line).toString()))
  for (const piece of pieces) {
    shared.fill(0)
    take(splitter.push(shared.subarray(0, shared.write(piece))))
  }
  take(splitter.end())
  return lines
}

test.each<[string[], (string | undefined)[]]>([
  [[], []],
  [['a\nb\n'], ['a', 'b']],
  [['a\nb'], ['a', 'b']],
  [
    ['a', 'b', '\n', 'c'],
    ['ab', 'c'],
  ],
  [['\n\na\n\n'], ['', '', 'a', '']],
  [['a\r\n'], ['a\r']],
  [['0123456789\nx'], ['0123456789', 'x']],
  [['0123456789a\nx\n'], [undefined, 'x']],
  [
    ['01234', '56789', 'a', 'bc\nx\n'],
    [undefined, 'x'],
  ],
  [['0123456789a'], [undefined]],
])('%j is the lines %j', (pieces, lines) => {
  expect(split(pieces)).toEqual(lines)
})

test('how a text is cut into chunks makes no difference', () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 }))
  fc.assert(
    fc.property(pieces, (some) => {
      const lines = some.join('').split('\n')
      if (lines.at(-1) === '') lines.pop()
      expect(split(some)).toEqual(lines.map((line) => (line.length > 10 ? undefined : line)))
    }),
  )
})
