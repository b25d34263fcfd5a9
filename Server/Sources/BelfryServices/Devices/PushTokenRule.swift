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
    ) throws(ValueError) -> PushToken {
        guard provider == .webpush else { return try PushToken(raw, provider: provider, environment: environment) }
        guard let object = BrowserSubscription(text: raw), let text = try? object.text else {
            throw ValueError(
                code: "invalidSubscription",
                message: "A Web Push token is the browser's subscription: an object with endpoint, keys.p256dh and "
                    + "keys.auth, or its JSON text, of at most \(PushToken.maximumLength) bytes."
            )
        }
        let token = try PushToken(text, provider: .webpush, environment: environment)
        try check(try WebPushSubscription(token: token.value).endpoint)
        return token
    }

    /// Why the server sends to no browser there.
    func check(_ endpoint: PushEndpoint) throws(ValueError) {
        guard endpoints.allows(endpoint.host) else {
            throw ValueError(
                code: "privateAddress",
                message: "The subscription's endpoint has a private address. Belfry does not send there."
            )
        }
        guard endpoints.allows(port: endpoint.port) else {
            throw ValueError(
                code: "portNotAllowed",
                message:
                    "The subscription's endpoint has a port. Push services must use the default port of https."
            )
        }
        guard hosts.admit(endpoint.host) else {
            throw ValueError(
                code: "hostNotAllowed",
                message: "The subscription's endpoint is not at a push service that this server's operator allows."
            )
        }
    }

    /// Whether an address is no stranger's: the operator lists its host, has it in a network of their own, or browsers
    /// come with it.
    func trusts(_ endpoint: PushEndpoint, path: String) -> Bool {
        hosts.lists(endpoint.host) || EndpointPolicy.isPrivate(endpoint.host)
            || WebPushHosts.isOfBrowsers(endpoint.host, path: path)
    }

    /// Whether an endpoint is no stranger's, by its name alone: strangers neither choose how long the name is looked up
    /// nor how the service answers. Of browsers and of the operator's list these are only the names themselves: anybody
    /// can make up any number of subdomains and ports where nobody answers.
    func knows(_ endpoint: PushEndpoint) -> Bool {
        if EndpointPolicy.isPrivate(endpoint.host) { return true }
        return endpoint.port == PushEndpoint.standardPort
            && (hosts.spells(endpoint.host) || WebPushHosts.isOfBrowsers(endpoint.host))
    }

    /// Whether an endpoint is no stranger's as soon as it has answered: nobody else has a certificate for its name.
    func knowsByAnswer(_ endpoint: PushEndpoint) -> Bool {
        hosts.lists(endpoint.host) || WebPushHosts.isNamedLikeBrowsers(endpoint.host)
    }
}
