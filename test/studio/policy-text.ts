import { parsePolicy } from '../../src/policy/load/parse-policy.ts'

export function loadPolicyText(text: string) {
  return parsePolicy({ owner: { file: 'countersign.yaml', text } })
}
