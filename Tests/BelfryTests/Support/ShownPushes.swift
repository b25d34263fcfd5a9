@testable import Belfry

/// Shows pushes by keeping their ids.
actor ShownPushes: NotificationDisplay {
    private(set) var ids: [String] = []

    func display(_ push: ReceivedPush) async -> Bool {
        ids.append(push.payload.sid)
        return true
    }
}
