import BelfryModel

/// What a client of version 3 is told in the answer to its events (WIRE-6, IAM-13): at most one of each.
package struct Overlay: Hashable, Sendable {
    package var message: OverlayPage?
    package var action: OverlayActions?

    package init(message: OverlayPage? = nil, action: OverlayActions? = nil) {
        self.message = message
        self.action = action
    }
}

/// A message as a page with the bridge of version 3.
package struct OverlayPage: Hashable, Sendable {
    package let campaign: CampaignID
    package let html: String
}

/// What the client does, in this order, and shows nothing.
package struct OverlayActions: Hashable, Sendable {
    package let campaign: CampaignID
    /// Of the kinds `openUrl` and `event`: version 3 knows no others here.
    package let actions: [InAppAction]
}

/// An inline message for a place in the app (WIRE-14).
package struct InlinePage: Hashable, Sendable {
    package let page: OverlayPage
    /// As the client asked for it.
    package let viewID: String
}
