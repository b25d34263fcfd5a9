import BelfryModel

/// What a client of version 3 is told in the answer to its events (WIRE-6, IAM-13): at most one of each.
package struct V3InAppBundle: Hashable, Sendable {
    package var message: V3InAppPage?
    package var action: V3InAppActions?

    package init(message: V3InAppPage? = nil, action: V3InAppActions? = nil) {
        self.message = message
        self.action = action
    }
}

/// A message as a page with the bridge of version 3.
package struct V3InAppPage: Hashable, Sendable {
    package let campaign: CampaignID
    package let html: String
}

/// What the client does, in this order, and shows nothing.
package struct V3InAppActions: Hashable, Sendable {
    package let campaign: CampaignID
    /// Of the kinds `openUrl` and `event`: version 3 knows no others here.
    package let actions: [InAppAction]
}

/// An inline message for a place in the app (WIRE-14).
package struct InlinePage: Hashable, Sendable {
    package let page: V3InAppPage
    /// As the client asked for it.
    package let viewID: String
}
