import { Link } from 'wouter'
import { Page } from '../../components/page.tsx'
import { t } from '../../lib/language/t.ts'

/** At an address that leads nowhere. */
export function NoPage() {
  return (
    <Page title={t('There is no such page')} says={t('The link is incomplete, or from elsewhere.')}>
      <p className="frame flex flex-wrap gap-2 px-4 py-6">
        <Link href="/" className="btn btn-solid">
          {t('To the inbox')}
        </Link>
        <Link href="/history" className="btn">
          {t('To the history')}
        </Link>
      </p>
    </Page>
  )
}
