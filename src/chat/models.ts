import type { LanguageModel } from 'ai'
import { CountersignError } from '../base/errors.ts'
import { REHEARSAL, rehearsalModel } from './rehearsal-model.ts'

/** A model people can choose. */
export interface ChatModel {
  readonly id: string
  readonly name: string
  /** `rehearsal` answers from a script in this process. */
  readonly provider: string
}

export interface ChatModels {
  list(): Promise<readonly ChatModel[]>
  open(id: string): Promise<LanguageModel>
}

const OFFLINE: ChatModel = {
  id: REHEARSAL,
  name: 'Rehearsal (scripted, offline)',
  provider: 'rehearsal',
}

export function createModels(): ChatModels {
  return {
    list: async () => [OFFLINE],
    async open(id) {
      if (id === REHEARSAL) return rehearsalModel()
      throw new CountersignError('not_found', `there is no model ${id}`)
    },
  }
}
