import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { RuleBody, RuleDraft, RuleForm } from '../../../../src/api/policy/rules.ts'
import { ruleQuery } from '../../api/policy.ts'

/** What was typed since the server last answered: one side of the two, never both. */
type Typed = { readonly rule: RuleForm } | { readonly text: string }

export interface EditedRule {
  readonly draft: RuleDraft | undefined
  readonly error: unknown
  readonly rule: RuleForm | undefined
  readonly text: string
  /** Digest of the file that the text began with, whatever is on disk by now. */
  readonly base: string | undefined
  /** What is shown is not what the server knows yet. */
  readonly isBehind: boolean
  setRule(rule: RuleForm): void
  setText(text: string): void
  addTests(): void
}

const QUIET_MS = 350

/** Keeps a form and a text in step: the server writes one into the other. */
export function useRule(from: string): EditedRule {
  const [body, setBody] = useState<RuleBody>(() => ({ from, ...proposedRule() }))
  const [typed, setTyped] = useState<Typed>()
  const [isByHand, setByHand] = useState(false)
  const sent = useRef<Typed | undefined>(undefined)
  const [base, setBase] = useState<string>()
  // A text with mistakes has no rule; once they are corrected, it is about the same one.
  const at = useRef<RuleBody['at']>(undefined)
  const { data: found, error, isPlaceholderData, isFetching } = useQuery(ruleQuery(body))
  // A refusal has no draft. What was typed must stay on the page, so that it can be corrected.
  const [draft, setDraft] = useState(found)
  if (found !== undefined && found !== draft) setDraft(found)
  const rule = typed && 'rule' in typed ? typed.rule : draft?.rule
  const text = typed && 'text' in typed ? typed.text : (draft?.text ?? '')

  useEffect(() => {
    if (typed === undefined || typed === sent.current || draft === undefined) return
    const timer = setTimeout(() => {
      sent.current = typed
      setBody(
        'text' in typed
          ? byText(from, typed.text, at.current)
          : byForm(from, typed.rule, draft, isByHand),
      )
    }, QUIET_MS)
    return () => clearTimeout(timer)
  }, [typed, draft, from, isByHand])

  useEffect(() => {
    if (isPlaceholderData || found === undefined) return
    if (found.rule) {
      const { place, id } = found.rule
      at.current = { place, ...(id === undefined ? {} : { id }) }
    }
    // Each answer names the file as it is by then. A text that goes on from an earlier one would
    // replace what others saved meanwhile.
    if (body.text === undefined) setBase(found.base)
    // An answer to what was typed before the latest key is old news.
    if (typed === sent.current) {
      sent.current = undefined
      setTyped(undefined)
    }
    // With the body: what was typed and taken back is answered already.
  }, [found, isPlaceholderData, body])

  return {
    draft,
    error,
    rule,
    text,
    base,
    isBehind: typed !== undefined || isFetching,
    setRule: (next) => setTyped({ rule: next }),
    setText(next) {
      setByHand(true)
      setTyped({ text: next })
    },
    addTests() {
      setByHand(true)
      setBody({ ...byText(from, text, at.current), tests: true })
    },
  }
}

/** A rule that was proposed comes with the way here; a reload starts from the file. */
function proposedRule(): Pick<RuleBody, 'rule'> {
  const { rule } = (history.state ?? {}) as { rule?: RuleForm }
  return rule === undefined ? {} : { rule }
}

function byText(from: string, text: string, at: RuleBody['at']): RuleBody {
  return { from, text, at: at ?? { place: 'tool' } }
}

/** A rule that moves leaves nothing behind: unless the text was edited by hand, it starts from the file. */
function byForm(from: string, rule: RuleForm, draft: RuleDraft, isByHand: boolean): RuleBody {
  const isMoved = rule.place !== draft.rule?.place || rule.id !== draft.rule?.id
  return { from, rule, ...(isMoved && !isByHand ? {} : { text: draft.text }) }
}
