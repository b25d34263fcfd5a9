import BelfryModel
import BelfryPush

/// What a push token must be for its service before it is stored (WIRE-5, SEC-5).
///
/// Tokens of APNs and FCM are judged by these alone. A browser's says where the server is to send, so it is looked at
/// here, and its address once more when a connection is made.
package struct PushTokenRule: Hashable, Sendable {
    let endpoints: EndpointPolicy
    let hosts: WebPushHosts

    package init(endpoints: EndpointPolicy = .publicOnly, hosts: WebPushHosts = .any) {
        self.endpoints = endpoints
        self.hosts = hosts
    }

    package func token(
        _ raw: String, provider: PushProvider, environment: PushEnvironment
    ) throws(Refusal) -> PushToken {
        guard provider == .webpush else { return try PushToken(raw, provider: provider, environment: environment) }
        guard let object = BrowserSubscription(text: raw), let text = try? object.text else {
            throw Refusal(
                code: "invalidSubscription",
                message: "A token of web push is the browser's subscription: an object with endpoint, keys.p256dh and "
                    + "keys.auth, or its JSON text, of at most \(PushToken.maximumLength) bytes."
            )
        }
        let token = try PushToken(text, provider: .webpush, environment: environment)
        try check(try WebPushSubscription(token: token.value).endpoint)
        return token
    }

    /// Why the server sends to no browser there.
    func check(_ endpoint: PushEndpoint) throws(Refusal) {
        guard endpoints.allows(endpoint.host) else {
            throw Refusal(
                code: "privateAddress",
                message: "The subscription's endpoint is at a private address: nothing is sent there."
            )
        }
        guard endpoints.allows(port: endpoint.port) else {
            throw Refusal(
                code: "portNotAllowed",
                message:
                    "The subscription's endpoint names a port: push services are reached at the usual one of https."
            )
        }
        guard hosts.admit(endpoint.host) else {
            throw Refusal(
                code: "hostNotAllowed",
                message: "The subscription's endpoint is at no push service that this server's operator lists."
            )
        }
    }
}
