/// The client's storage on the device; it outlives the process.
package struct V3Store: Hashable, Sendable {
    package let clientID: String
    package var clientState: String?
    package var contactToken: String?
    package var refreshToken: String?
    package var contactFieldValue: String?
    /// The push token that the server is known to have.
    package var pushToken: String?
    /// The push token that the app set last (Android).
    package var localPushToken: String?
    /// The properties that were said last.
    package var deviceInfo: JSON?
    /// Opaque to the client: an object that a server of version 4 sent, and gets back.
    package var deviceEventState: JSON?
    /// In-app messages that were seen and pressed, until the server has them.
    package var viewedMessages: [JSON] = []
    package var clicks: [JSON] = []
    package var queue = V3Queue()

    package init(clientID: String) {
        self.clientID = clientID
    }

    /// Takes over from a response what a client takes over, whatever it was the response to.
    mutating func take(_ answer: V3Response, to call: V3Call, settings: V3Settings) {
        if let state = answer.header("X-Client-State") { clientState = state }
        let body = answer.body(readBy: settings.flavour)
        if let token = body?["contactToken"]?.string { contactToken = token }
        if let token = body?["refreshToken"]?.string { refreshToken = token }
        guard case .events(let composite) = call, answer.isSuccess else { return }
        if settings.usesEventServiceV4 {
            deviceEventState = body?["deviceEventState"] ?? deviceEventState
            forget(composite.campaigns)
        } else {
            forget(Set(body?["oldCampaigns"]?.items?.compactMap(\.string) ?? []))
        }
    }

    private mutating func forget(_ campaigns: Set<String>) {
        func isForgotten(_ row: JSON) -> Bool { campaigns.contains(row["campaignId"]?.string ?? "") }
        viewedMessages.removeAll(where: isForgotten)
        clicks.removeAll(where: isForgotten)
    }
}

/// The client's state in memory, which ends with the process.
package struct V3Memory: Hashable, Sendable {
    package var contactFieldID: Int64?
    package var openIDToken: String?
    package var isInAppPaused = false
    package var session: Session?
    /// Messages that came and are not shown yet, each with `campaignId` and `html`.
    package var v3InAppMessages: [JSON] = []
    /// On-event actions that came and did not run yet.
    package var onEventActions: [JSON] = []
    /// The calls of the app's event handler: `name` and `payload`.
    package var appEvents: [JSON] = []
    package var openedLinks: [String] = []
    package var clipboard: String?
    /// How often the system asked for leave to send pushes.
    package var permissionRequests = 0
    /// The notifications that the device shows.
    package var notifications: [V3Notification] = []
    /// Pushes that the client left to the app: they are none of its own.
    package var leftToApp = 0
    /// The number on the app's icon; nil: none was set.
    package var badge: Int?
    /// How often a tap brought the app to the front.
    package var launches = 0
    /// The inbox as it was fetched last.
    package var inbox: [JSON]?

    package init() {}

    /// Both clients look at every response that they read. Android wants to know the campaign.
    mutating func take(_ answer: V3Response, flavour: V3Flavour) {
        let body = answer.body(readBy: flavour)
        func isTaken(_ part: JSON) -> Bool { flavour == .ios || part["campaignId"]?.string != nil }
        if let message = body?["message"], message["html"]?.string != nil, isTaken(message) {
            // Android shows one and drops a second while it does.
            if flavour == .ios || v3InAppMessages.isEmpty { v3InAppMessages.append(message) }
        }
        if let action = body?["onEventAction"], action["actions"]?.items != nil, isTaken(action) {
            onEventActions.append(action)
        }
    }

    package struct Session: Hashable, Sendable {
        let id: String
        /// Epoch milliseconds.
        let start: Int64
    }
}
