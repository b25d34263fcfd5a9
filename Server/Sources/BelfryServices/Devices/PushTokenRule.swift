import BelfryModel
import BelfryPush

/// The checks of a push token before it is stored (WIRE-5, SEC-5).
///
/// Tokens of APNs and FCM only need these checks. A browser's subscription says where the server is to send, so its
/// endpoint is checked here, and its address again for each connection.
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

    /// Throws if the server may not send to the endpoint.
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

    /// Whether an address is trusted: the operator lists its host, it is in a private network, or it is a subscription
    /// of a well-known browser.
    func trusts(_ endpoint: PushEndpoint, path: String) -> Bool {
        hosts.lists(endpoint.host) || EndpointPolicy.isPrivate(endpoint.host)
            || WebPushHosts.isOfBrowsers(endpoint.host, path: path)
    }

    /// Whether an endpoint is trusted by its name alone, because a device can neither choose how long its name lookup
    /// takes nor how the service responds. Of the browsers' hosts and the operator's list only the listed names
    /// themselves count: anybody can make up any number of subdomains and ports at which nothing responds.
    func knows(_ endpoint: PushEndpoint) -> Bool {
        if EndpointPolicy.isPrivate(endpoint.host) { return true }
        return endpoint.port == PushEndpoint.standardPort
            && (hosts.spells(endpoint.host) || WebPushHosts.isOfBrowsers(endpoint.host))
    }

    /// Whether an endpoint is trusted when it has responded: nobody else has a certificate for its name.
    func knowsByResponse(_ endpoint: PushEndpoint) -> Bool {
        hosts.lists(endpoint.host) || WebPushHosts.isNamedLikeBrowsers(endpoint.host)
    }
}
