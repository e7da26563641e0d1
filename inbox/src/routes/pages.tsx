import { Route, Switch } from 'wouter'
import type { Me } from '../../../src/api/approval.ts'
import { InboxPage } from '../features/inbox/inbox-page.tsx'
import { lazy } from '../lib/lazy.tsx'

const ChatPage = lazy(() => import('../features/chat/chat-page.tsx'), 'ChatPage')
const ConnectPage = lazy(() => import('../features/connect/connect-page.tsx'), 'ConnectPage')
const HistoryPage = lazy(() => import('../features/history/history-page.tsx'), 'HistoryPage')
const TimelinePage = lazy(() => import('../features/history/timeline-page.tsx'), 'TimelinePage')
const InsightsPage = lazy(() => import('../features/insights/insights-page.tsx'), 'InsightsPage')
const AllowClientPage = lazy(
  () => import('../features/clients/allow-client-page.tsx'),
  'AllowClientPage',
)
const ClientsPage = lazy(() => import('../features/clients/clients-page.tsx'), 'ClientsPage')
const LoginPage = lazy(() => import('../features/sign-in/terminal-login-page.tsx'), 'LoginPage')
const PolicyPage = lazy(() => import('../features/policy/policy-page.tsx'), 'PolicyPage')
const RulePage = lazy(() => import('../features/rules/rule-page.tsx'), 'RulePage')
const FinishSignInPage = lazy(
  () => import('../features/servers/finish-sign-in-page.tsx'),
  'FinishSignInPage',
)
const GrantsPage = lazy(() => import('../features/grants/grants-page.tsx'), 'GrantsPage')
const LocksPage = lazy(() => import('../features/locks/locks-page.tsx'), 'LocksPage')
const NoPage = lazy(() => import('../features/shell/no-page.tsx'), 'NoPage')
const RunPage = lazy(() => import('../features/runs/run-page.tsx'), 'RunPage')
const PasskeysPage = lazy(() => import('../features/passkeys/passkeys-page.tsx'), 'PasskeysPage')
const DevicesPage = lazy(() => import('../features/devices/devices-page.tsx'), 'DevicesPage')
const ChannelLinksPage = lazy(
  () => import('../features/channel-links/channel-links-page.tsx'),
  'ChannelLinksPage',
)
const AuditPage = lazy(() => import('../features/audit/audit-page.tsx'), 'AuditPage')
const PeoplePage = lazy(() => import('../features/people/people-page.tsx'), 'PeoplePage')
const SettingsPage = lazy(() => import('../features/settings/settings-page.tsx'), 'SettingsPage')
const StudioPage = lazy(() => import('../features/studio/studio-page.tsx'), 'StudioPage')
const StudioToolPage = lazy(() => import('../features/studio/tool-page.tsx'), 'StudioToolPage')
const ToolsPage = lazy(() => import('../features/tools/tools-page.tsx'), 'ToolsPage')

/** One page per address. The inbox is in the first load; the others are fetched when they are opened. */
export function Pages({ me, onKeys }: { me: Me; onKeys: () => void }) {
  return (
    <Switch>
      <Route path="/chat/:id?">{({ id }) => <ChatPage me={me} id={id} />}</Route>
      <Route path="/connect">
        <ConnectPage me={me} />
      </Route>
      <Route path="/history">
        <HistoryPage />
      </Route>
      <Route path="/history/:id">
        {({ id }) => <TimelinePage key={id} id={decodeURIComponent(id)} me={me} />}
      </Route>
      <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={decodeURIComponent(id)} />}</Route>
      <Route path="/grants">
        <GrantsPage />
      </Route>
      <Route path="/insights">
        <InsightsPage />
      </Route>
      <Route path="/login">
        <LoginPage />
      </Route>
      <Route path="/oauth/authorize">
        <AllowClientPage me={me} />
      </Route>
      <Route path="/clients">
        <ClientsPage />
      </Route>
      <Route path="/locks">
        <LocksPage />
      </Route>
      <Route path="/passkeys">
        <PasskeysPage />
      </Route>
      <Route path="/settings">
        <SettingsPage me={me} onKeys={onKeys} />
      </Route>
      <Route path="/notifications">
        <DevicesPage />
      </Route>
      <Route path="/linked-accounts">
        <ChannelLinksPage />
      </Route>
      <Route path="/tools/sign-in/:place">
        {({ place }) => <FinishSignInPage place={place} />}
      </Route>
      <Route path="/tools">
        <ToolsPage />
      </Route>
      <Route path="/studio">
        <StudioPage />
      </Route>
      <Route path="/studio/:name">
        {({ name }) => <StudioToolPage key={name} name={decodeURIComponent(name)} />}
      </Route>
      <Route path="/audit">
        <AuditPage />
      </Route>
      <Route path="/people">
        <PeoplePage me={me} />
      </Route>
      <Route path="/policy/rule/:id">
        {({ id }) => <RulePage key={id} id={decodeURIComponent(id)} />}
      </Route>
      <Route path="/policy">
        <PolicyPage me={me} />
      </Route>
      <Route path={/^\/(?:approvals\/.*)?$/}>
        <InboxPage me={me} />
      </Route>
      <Route>
        <NoPage />
      </Route>
    </Switch>
  )
}
