import type { PolicyStatus } from '../../../../src/api/policy.ts'

/** Whether a person wrote one: the defaults are rules, too, and are there without any file. */
export function hasPolicy({ files, rules }: Pick<PolicyStatus, 'files' | 'rules'>): boolean {
  return files.length > 0 || rules.some(({ source }) => source !== 'default')
}
