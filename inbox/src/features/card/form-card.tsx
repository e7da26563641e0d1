import { useAnswers } from '../decide/use-answers.ts'
import { LoadedCard, type LoadedProps } from './loaded-card.tsx'

/** A call that asks the approver for something: the usual card, and a form in it. */
export function FormCard(props: Omit<LoadedProps, 'useForm'>) {
  return <LoadedCard {...props} useForm={useAnswers} />
}
