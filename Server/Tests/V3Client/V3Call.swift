/// One call of the protocol, without what is known only when it leaves.
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
    /// What is there for a place in the app, and what was pressed meanwhile.
    case inline(viewID: String, clicks: [JSON])

    /// All events that waited, and what the app's in-app messages met meanwhile.
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
        case .properties, .contact, .anonymousContact, .refresh, .events, .inline: "POST"
        case .putPushToken: "PUT"
        case .deletePushToken: "DELETE"
        case .geofences: "GET"
        }
    }

    /// Whether it is made to get a token. A 401 to it would lead the client around in circles.
    var needsNoToken: Bool {
        switch self {
        case .properties, .contact, .anonymousContact, .refresh: true
        case .putPushToken, .deletePushToken, .events, .geofences, .inline: false
        }
    }
}
