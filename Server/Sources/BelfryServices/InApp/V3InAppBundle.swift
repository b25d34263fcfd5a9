import BelfryModel

/// The in-app part of a response to the events of a client of version 3 (WIRE-6, IAM-13): at most one message and one
/// set of actions.
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

/// Actions that the client performs in this order, without showing anything.
package struct V3InAppActions: Hashable, Sendable {
    package let campaign: CampaignID
    /// Actions of the kinds `openUrl` and `event`: version 3 supports no others here.
    package let actions: [InAppAction]
}

/// An inline message for a view of the app (WIRE-14).
package struct InlinePage: Hashable, Sendable {
    package let page: V3InAppPage
    /// The view's id as the client sent it.
    package let viewID: String
}
