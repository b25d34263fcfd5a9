/// What a person found in the app's message centres, and what was left when the person had looked through them.
struct CenterVisit: Hashable, Sendable {
    /// Messages by centre.
    var messages: [String: Int] = [:]
    /// What the app's icon showed before.
    var badge = 0
    /// Rich messages that were opened by the end, there or from their push.
    var richContents = 0
    /// Messages that had been read by the end, and those that had not.
    var read = 0
    var unread = 0
    /// What the app's icon shows now.
    var badgeLeft = 0
}
