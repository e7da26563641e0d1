import { CountersignError } from '../../base/errors.ts'

export function unusableForm(why: string, cause?: unknown): CountersignError {
  return new CountersignError('form_unusable', `the form cannot be used: ${why}`, {
    hint: 'Give a JSON Schema of type object, of at most 16 kB, that holds everything it refers to.',
    cause,
  })
}
