import { expect, test } from 'vitest'
import { citationsIn } from './citations.ts'

// Put together here, so that this file itself does not look like one that cites.
const IMPORT = ['import', '{ promise }', "from './promise.ts'"].join(' ')

test.each([
  ['one', "promise(['AF-1'], 'x', () => {})", ['AF-1'], 0],
  ['several over lines', "promise.each(\n  [\n    'AF-1',\n    'AT-2',\n  ],", ['AF-1', 'AT-2'], 0],
  ['double quotes', 'promise(["AF!1"], 1)', ['AF!1'], 0],
  ['none in a comment', "// promise(['AF-1'], 'x')\n/* promise(['AF-2']) */", [], 0],
  ['none where the ids come from elsewhere', "promise(ids, 'x', () => {})", [], 1],
  ['none where the list is empty', "promise([], 'x', () => {})", [], 1],
  ['none of something else by that name', "other.promise(['AF-1'])", [], 0],
])('citations are read from the source: %s', (_, code, ids, unreadable) => {
  expect(citationsIn(`${IMPORT}\n${code}`)).toEqual({ ids, unreadable })
})

test('a file that does not import promise cites nothing', () => {
  expect(citationsIn("promise(['AF-1'], 'x')")).toEqual({ ids: [], unreadable: 0 })
})
