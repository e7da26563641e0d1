import type { WireLink } from '../../../../src/api/channels/links.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { rich } from '../../lib/language/rich.ts'

/** The ids stand beside the name, because any name can be chosen in a chat. */
export function AccountIds({ account }: { account: Pick<WireLink, 'account' | 'workspace'> }) {
  return (
    <span className="wrap-anywhere">
      {rich('Account {id} of workspace {workspace}', {
        id: <UntrustedText text={account.account} />,
        workspace: <UntrustedText text={account.workspace} />,
      })}
    </span>
  )
}
