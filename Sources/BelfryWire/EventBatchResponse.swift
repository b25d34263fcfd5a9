/// An event that the server did not store, and why.
public struct RejectedEvent: Hashable, Sendable, Codable {
    public var index: Int
    public var id: String?
    public var reason: String

    public init(index: Int, id: String? = nil, reason: String) {
        self.index = index
        self.id = id
        self.reason = reason
    }
}

/// The response to a batch if it has content; otherwise 204 (WIRE-6).
public struct EventBatchResponse: Hashable, Sendable, Codable {
    public var rejected: [RejectedEvent]?
    /// Campaigns whose displays and clicks a v3 client may forget.
    public var oldCampaigns: [String]?
    /// A message that a v3 client shows at once (IAM-13).
    public var message: V3InAppMessage?
    /// Actions that a v3 client carries out at once (IAM-13).
    public var onEventAction: OnEventAction?

    public init(
        rejected: [RejectedEvent]? = nil, oldCampaigns: [String]? = nil, message: V3InAppMessage? = nil,
        onEventAction: OnEventAction? = nil
    ) {
        self.rejected = rejected
        self.oldCampaigns = oldCampaigns
        self.message = message
        self.onEventAction = onEventAction
    }
}
