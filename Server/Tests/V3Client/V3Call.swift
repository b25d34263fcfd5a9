/// A call of the protocol, without the values that are known only when it is sent.
package enum V3Call: Hashable, Sendable {
    case properties(JSON)
    /// The value is nil when an OpenID token, added at sending, proves the contact.
    case contact(field: Int64, value: String?)
    case anonymousContact
    case refresh
    case putPushToken(String)
    case deletePushToken
    case events(Composite)
    case geofences
    case inbox
    /// Asks Predict for products.
    case products
    /// Tells that a deep link was clicked.
    case deepLink(id: String)
    case remoteConfigSignature
    /// The message for a view of the app, and the buttons that were pressed meanwhile.
    case inline(viewID: String, clicks: [JSON])

    /// All queued events, and the displays and clicks of in-app messages meanwhile.
    package struct Composite: Hashable, Sendable {
        let events: [JSON]
        let viewedMessages: [JSON]
        let clicks: [JSON]
        let isInAppPaused: Bool

        var campaigns: Set<String> {
            Set((viewedMessages + clicks).compactMap { $0["campaignId"]?.string })
        }
    }

    var method: String {
        switch self {
        case .properties, .contact, .anonymousContact, .refresh, .events, .inline, .deepLink: "POST"
        case .putPushToken: "PUT"
        case .deletePushToken: "DELETE"
        case .geofences, .inbox, .products, .remoteConfigSignature: "GET"
        }
    }

    /// Whether it is made to get a token. A 401 to it would lead the client around in circles.
    var needsNoToken: Bool {
        switch self {
        case .properties, .contact, .anonymousContact, .refresh: true
        default: false
        }
    }

    /// Whether it goes to one of the services that know the installation: only those get its id, state and token.
    var isOfMobileEngage: Bool {
        switch self {
        case .products, .deepLink, .remoteConfigSignature: false
        default: true
        }
    }
}
