import { expect, test } from 'vitest'
import { parseWritten, readMessage, type Success, writtenAs } from './message.ts'

const written = (text: string) => {
  const { result } = readMessage(parseWritten(text)) as Success
  return JSON.stringify(writtenAs(result))
}

// Every place a number can stand in, and every way that JavaScript would write it differently.
const PLACES = [
  (number: string) => `{"n":${number}}`,
  (number: string) => `{"n": ${number}}`,
  (number: string) => `{"n":\t${number}\n}`,
  (number: string) => `{"list":[${number}]}`,
  (number: string) => `{"list":[1,${number}]}`,
  (number: string) => `{"list":[ ${number} , 1 ]}`,
  (number: string) => `{"deep":[[{"n":[\r\n${number}]}]]}`,
]
const NUMBERS = [
  '12345678901234567890',
  '-12345678901234567890',
  '1.0',
  '-1.0',
  '10.50',
  '0.10',
  '-0',
  '-0.0',
  '1e3',
  '1E3',
  '-1e-7',
  '100e400',
  '1e400',
]

test.each(NUMBERS)('%s is handed on as it was written, wherever it stands', (number) => {
  for (const place of PLACES) {
    const result = place(number)
    const text = `{"jsonrpc":"2.0","id":1,"result":${result}}`
    expect(written(text)).toBe(result.replaceAll(/\s/g, ''))
  }
})

test('numbers that read back the same, and texts that look like others, stay as they are', () => {
  const result = '{"n":[1,-1,1234567890],"text":"1.0, 1e3 [-0] 12345678901234567890"}'
  expect(written(`{"result":${result},"jsonrpc":"2.0","id":1}`)).toBe(result)
})
