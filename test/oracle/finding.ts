import { type Answer, conditionAnswer } from './conditions.ts'
import type {
  Approval,
  ApprovalObject,
  Call,
  Defaults,
  HumanInTheLoop,
  Level,
} from './documents.ts'

export type Source = 'tool' | 'server' | 'operator' | 'governance' | 'default' | 'risk' | 'mode'

/** What one source says about one call, with everything that later steps need to know of it. */
export type Finding = {
  source: Source
  rule: string
  level: Level
  answer: Answer
  /** Written in the owner's file (or code, or switch): the owner's defaults fill its gaps. */
  owners: boolean
  declared: ApprovalObject
  template?: { text: string; spelling: 'message_template' | 'promptTemplate' }
  denial?: string
}

/** `confirm`, unless somebody is named: in the declaration, or in the defaults of its own file. */
export function askingLevel(declared: ApprovalObject, defaults: Defaults | undefined): Level {
  if (declared.approvers !== undefined || declared.quorum !== undefined) return 'review'
  return defaults?.approvers !== undefined ? 'review' : 'confirm'
}

/** An `approval` key of the owner. */
export function fromApproval(
  approval: Approval,
  place: { source: Source; rule: string },
  call: Call,
  defaults: Defaults | undefined,
): Finding {
  const { source, rule } = place
  if (approval === false) {
    return { source, rule, level: 'allow', answer: 'yes', owners: true, declared: {} }
  }
  const declared = approval === true ? {} : approval
  const { answer, suffix } = conditionAnswer(declared.condition, call)
  const finding: Finding = {
    source,
    rule: rule + suffix,
    level: answer === 'no' ? 'allow' : askingLevel(declared, defaults),
    answer,
    owners: true,
    declared,
  }
  if (declared.message_template !== undefined) {
    finding.template = { text: declared.message_template, spelling: 'message_template' }
  }
  return finding
}

/** The other spelling of `approval`, on tools and on entries of allowed_tools and allowed_skills. */
export function fromHumanInTheLoop(
  spelling: HumanInTheLoop,
  place: { source: Source; rule: string },
  call: Call,
  defaults: Defaults | undefined,
): Finding {
  const finding = fromApproval(spelling.mode === 'REQUIRED', place, call, defaults)
  if (spelling.mode === 'REQUIRED' && spelling.promptTemplate !== undefined) {
    finding.template = { text: spelling.promptTemplate, spelling: 'promptTemplate' }
  }
  return finding
}

/** A verdict word, which means itself. */
export function fromWord(
  level: Level,
  place: { source: Source; rule: string },
  denial: string,
): Finding {
  const finding: Finding = { ...place, level, answer: 'yes', owners: true, declared: {} }
  if (level === 'deny') finding.denial = denial
  return finding
}
