import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// An app's account at FCM, and its current access token.
struct FCMSession: PushProviderSession {
    let account: FCMAccount
    let accessToken: String

    func sender(_ template: FCMRequestTemplate) -> any PushSender {
        FCMSender(template: template, session: self)
    }

    func outcome(of result: PushResult, to routed: RoutedRequest, now: Date) -> PushOutcome {
        FCMResponse.outcome(of: result, now: now)
    }

    func renew(now: Date) async -> Bool {
        await account.renew(accessToken, now: now)
    }
}

private struct FCMSender: PushSender {
    let template: FCMRequestTemplate
    let common: CommonHeaders
    let path: String
    let route: PushRoute

    init(template: FCMRequestTemplate, session: FCMSession) {
        let credentials = session.account.credentials
        self.template = template
        common = template.commonHeaders(accessToken: session.accessToken)
        path = FCMRequestTemplate.path(projectID: credentials.projectID)
        route = PushRoute(
            sender: credentials.projectID, provider: .fcm, endpoint: credentials.endpoint,
            trustRoots: credentials.trustRoots
        )
    }

    func request(_ message: OutgoingMessage, now: Date) throws(PushRequestError) -> RoutedRequest {
        let request = try template.request(
            path: path, token: message.token.value, message: message.id, recipient: message.mark,
            texts: message.texts, badge: message.badge, channel: message.channel, now: now, common: common
        )
        return RoutedRequest(route: route, request: request)
    }
}
