import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// An app's account at APNs, and the actor that renews its provider token.
struct APNsSession: PushProviderSession {
    let account: APNsAccount
    let accounts: APNsAccounts

    func sender(
        of content: PushContent, style: PushStyle, extras: PushExtras, campaign: CampaignID?, expiresAt: Date
    ) throws(PushRequestError) -> any PushSender {
        let template = try APNsRequestTemplate(
            content: content, style: style, extras: extras, campaign: campaign, expiresAt: expiresAt
        )
        return APNsSender(template: template, account: account)
    }

    func outcome(of result: PushResult, now: Date) -> PushOutcome {
        APNsResponse.outcome(of: result, now: now)
    }

    func renew(now: Date) async -> Bool {
        await accounts.renew(account, now: now)
    }
}

private struct APNsSender: PushSender {
    let template: APNsRequestTemplate
    let common: CommonHeaders
    let production: PushRoute
    let sandbox: PushRoute

    init(template: APNsRequestTemplate, account: APNsAccount) {
        let credentials = account.credentials
        func route(_ environment: PushEnvironment) -> PushRoute {
            PushRoute(
                sender: "\(credentials.teamID)/\(credentials.keyID)", endpoint: credentials.endpoint(for: environment),
                trustRoots: credentials.trustRoots
            )
        }
        self.template = template
        common = template.commonHeaders(credentials: credentials, providerToken: account.providerToken)
        production = route(.production)
        sandbox = route(.sandbox)
    }

    func request(_ message: OutgoingMessage, now: Date) throws(PushRequestError) -> RoutedRequest {
        let request = try template.request(
            token: message.token.value, message: message.id, recipient: message.mark, texts: message.texts,
            badge: message.badge, common: common
        )
        return RoutedRequest(
            route: message.token.environment == .production ? production : sandbox, request: request
        )
    }
}
