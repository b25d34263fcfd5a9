import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

extension MessageCenterUpdate {
    /// The changes that a response makes to the shown messages; nil when there are none. What the person did on this
    /// device is already visible, so it is not a change.
    ///
    /// - Parameters:
    ///   - messages: all messages of the response.
    ///   - listed: its centers.
    ///   - step: the state before the response is stored.
    init?(
        after messages: [StoredMessageCenterMessage],
        in listed: [ListedMessageCenter],
        _ step: DeviceStep
    ) throws(BelfryError) {
        let known = try step.store.centerMessageIDs()
        let former = try step.store.centerMessages(in: nil, step.retention)
        let pending = try step.store.pendingStatesByID()
        let present = messages.filter { message in
            let state = MessageStateMerge.shown(server: message.state, pending: pending[message.id])
            return state != .deleted && message.expiresAt.map { $0 > step.retention.serverTime } ?? true
        }
        let formerByID = Dictionary(former.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let ids = Set(present.map(\.id))
        let removed = former.filter { !ids.contains($0.id) }
        let changed = present.filter { message in
            guard let before = formerByID[message.id] else { return false }
            let state = MessageStateMerge.shown(server: message.state, pending: pending[message.id])
            return state != before.state || !message.body.saysTheSame(as: before.body)
        }
        let new = Set(present.filter { !known.contains($0.id) }.map(\.center))
        let others =
            Set((removed + changed).map(\.center)).union(Self.relabelled(listed, since: step.state.sync.centers))
        guard !new.isEmpty || !others.isEmpty else { return nil }
        self.init(
            centers: new.sorted(), changedCenters: others.sorted(), changedMessages: Set(changed.map(\.id)),
            removedMessages: Set(removed.map(\.id))
        )
    }

    /// The centers with another label, and those that were added or removed; none at the first fetch.
    private static func relabelled(
        _ listed: [ListedMessageCenter],
        since former: MessageCenterSchedule
    ) -> Set<String> {
        guard former.fetchedAt != nil else { return [] }
        let before = former.listed.map { ListedMessageCenter(name: $0, label: former.label(of: $0)) }
        return Set(Set(before).symmetricDifference(listed).map(\.name))
    }
}

extension MessageCenterMessageBody {
    /// Whether the other message is the same, apart from its state.
    fileprivate func saysTheSame(as other: MessageCenterMessageBody) -> Bool {
        var copy = other
        copy.state = state
        return self == copy
    }
}
