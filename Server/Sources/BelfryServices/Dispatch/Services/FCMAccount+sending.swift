import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// An app's account at FCM, and the actor that renews its access token.
struct FCMSession: PushProviderSession {
    let account: FCMAccount
    let accounts: FCMAccounts

    func sender(
        of content: PushContent, style: PushStyle, extras: PushExtras, campaign: CampaignID?, expiresAt: Date
    ) throws(PushRequestError) -> any PushSender {
        let template = try FCMRequestTemplate(
            content: content, style: style, extras: extras, campaign: campaign, expiresAt: expiresAt
        )
        return FCMSender(template: template, account: account)
    }

    func outcome(of result: PushResult, now: Date) -> PushOutcome {
        FCMResponse.outcome(of: result, now: now)
    }

    func renew(now: Date) async -> Bool {
        await accounts.renew(account, now: now)
    }
}

private struct FCMSender: PushSender {
    let template: FCMRequestTemplate
    let common: CommonHeaders
    let path: String
    let route: PushRoute

    init(template: FCMRequestTemplate, account: FCMAccount) {
        let credentials = account.credentials
        self.template = template
        common = template.commonHeaders(accessToken: account.accessToken)
        path = FCMRequestTemplate.path(projectID: credentials.projectID)
        route = PushRoute(
            sender: credentials.projectID, endpoint: credentials.endpoint, trustRoots: credentials.trustRoots
        )
    }

    func request(_ message: OutgoingMessage, now: Date) throws(PushRequestError) -> RoutedRequest {
        let request = try template.request(
            path: path, token: message.token.value, message: message.id, recipient: message.mark,
            texts: message.texts, badge: message.badge, now: now, common: common
        )
        return RoutedRequest(route: route, request: request)
    }
}
