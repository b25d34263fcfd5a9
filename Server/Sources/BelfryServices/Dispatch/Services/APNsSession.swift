import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// An app's credentials at APNs with their provider token, and the actor that renews it.
struct APNsSession: PushProviderSession {
    let credentials: APNsCredentials
    let providerToken: String
    let tokens: APNsProviderTokens

    func sender(_ template: APNsRequestTemplate) -> any PushSender {
        APNsSender(template: template, session: self)
    }

    /// Devices themselves state the environment of their token, and a key for production alone is valid. So an error of
    /// the sandbox about the key's environment counts against that token only. Otherwise a single device could pause
    /// all campaigns (REG-33).
    func outcome(of result: PushResult, to routed: RoutedRequest, now: Date) -> PushOutcome {
        let outcome = APNsResponse.outcome(of: result, now: now)
        guard case .credentialError(let reason) = outcome, APNsResponse.keyOfOtherEnvironment.contains(reason),
            routed.route.endpoint != credentials.endpoint(for: .production)
        else { return outcome }
        return .topicError(reason: reason)
    }

    func renew(now: Date) async -> Bool {
        await tokens.renew(providerToken, of: credentials, now: now)
    }
}

private struct APNsSender: PushSender {
    let template: APNsRequestTemplate
    let common: CommonHeaders
    let production: PushRoute
    let sandbox: PushRoute

    init(template: APNsRequestTemplate, session: APNsSession) {
        let credentials = session.credentials
        func route(_ environment: PushEnvironment) -> PushRoute {
            PushRoute(
                sender: "\(credentials.teamID)/\(credentials.keyID)", provider: .apns,
                endpoint: credentials.endpoint(for: environment), trustRoots: credentials.trustRoots
            )
        }
        self.template = template
        common = template.commonHeaders(credentials: credentials, providerToken: session.providerToken)
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
