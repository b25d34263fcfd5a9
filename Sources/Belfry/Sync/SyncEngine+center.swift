import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// The message centres as the app sees them: what is on the device, and how the last fetch went (MC-1, MC-6, MC-14).
extension SyncEngine {
    var isCenterEnabled: Bool {
        get throws(BelfryError) { try state().sync.centers.isEnabled }
    }

    /// Turned off, nothing that was fetched stays; what the person did with it is still told to the server (MC-1).
    func setCenterEnabled(_ isEnabled: Bool) throws(BelfryError) {
        var draft = try begun()
        guard draft.state.sync.centers.isEnabled != isEnabled else { return }
        draft.state.sync.centers.setEnabled(isEnabled)
        draft.change.centers.append(.purge)
        draft.change.scrubs = !isEnabled
        draft.purgesFeed = true
        try commit(draft)
        waker.wake()
    }

    /// The centres that the last answer listed, in its order; none while the client rests.
    var listedCenters: [ListedMessageCenter] {
        get throws(BelfryError) {
            let current = try state()
            guard current.privacy.rest == nil else { return [] }
            let centers = current.sync.centers
            return centers.listed.map { ListedMessageCenter(name: $0, label: centers.label(of: $0)) }
        }
    }

    /// What is stored, newest first, and why it may be old. It never waits for the network (MC-6).
    func centerMessages(
        in center: String
    ) throws(BelfryError) -> (messages: [StoredCenterMessage], error: MessageCenterError?, fetchedAt: Date?) {
        let now = environment.now()
        var draft = try begun()
        if let rest = draft.state.privacy.rest { return ([], MessageCenterError(rest.refusal), nil) }
        guard draft.state.sync.centers.isEnabled else { return ([], .notEnabledYet, nil) }
        let fetchedAt = draft.state.sync.centers.fetchedAt
        guard let name = try? MessageCenterName(center).rawValue else {
            return ([], .unknownCenter(center), fetchedAt)
        }
        let messages = try storage.opened().store.centerMessages(in: name, retention(at: now))
        if draft.state.sync.centers.wanted(name) {
            try commit(draft)
            waker.wake()
        }
        return (messages, centerError(of: name, draft.state.sync, now: now), fetchedAt)
    }

    /// - Parameter center: nil for all centres.
    func unreadCount(in center: String?) throws(BelfryError) -> Int {
        guard try state().privacy.rest == nil, try isCenterEnabled else { return 0 }
        var name: String?
        if let center {
            guard let parsed = try? MessageCenterName(center) else { return 0 }
            name = parsed.rawValue
        }
        let states = try storage.opened().store.messageStates(in: name, retention(at: environment.now()))
        return states.values.count { $0 == .unread }
    }

    /// The person read or deleted a message: seen at once, told to the server as soon as it can be (MC-14).
    func setMessageState(_ messageState: MessageState, of id: String) throws(MessageCenterError) {
        let current = try presentState()
        guard current.sync.centers.isEnabled else { throw .notEnabledYet }
        guard messageState != .unread else {
            throw MessageCenterError(.refused, "A message becomes read or deleted, and never unread again.")
        }
        let isKnown: Bool
        do throws(BelfryError) {
            isKnown = try join(messageState, to: id)
        } catch {
            throw MessageCenterError(error)
        }
        guard isKnown else { throw .unknownMessage }
    }

    /// - Returns: false when there is no such message.
    private func join(_ messageState: MessageState, to id: String) throws(BelfryError) -> Bool {
        let states = try storage.opened().store.messageStates(in: nil, retention(at: environment.now()))
        guard let former = states[id] else { return false }
        guard messageState > former else { return true }
        var draft = try begun()
        let pending = PendingMessageState(id: id, state: messageState, owner: draft.state.sync.link.owner)
        draft.change.centers.append(.setState(pending))
        draft.change.scrubs = messageState == .deleted
        try commit(draft)
        waker.wake()
        return true
    }

    /// Asks the server now, and returns when its answer is stored.
    func refreshCenters() async throws(MessageCenterError) {
        guard try presentState().sync.centers.isEnabled else { throw .notEnabledYet }
        _ = try await ask(.fetchCenters)
    }

    /// A push of ours came. When it is meant for this person it may tell of new messages, once, and of the badge, each
    /// time (MC-4, IAM-3, BADGE-5). For whom it is, is asked in the same turn: somebody may have left a moment before (ID-4).
    ///
    /// - Returns: whether it is taken; one that is not is reported.
    @discardableResult
    func noticed(_ push: ReceivedPush) async throws(BelfryError) -> Bool {
        guard try takes(push) else { return false }
        let isNew = try recorder.isNew(.pushReceived, of: push)
        var draft = try begun()
        let former = draft.state.sync
        let tellsOfMessages = push.payload.sync?.contains(PushPayload.messageCenterSync) == true
        if isNew, tellsOfMessages { draft.state.sync.centers.mark() }
        let tellsOfInApp = push.payload.sync?.contains(PushPayload.inAppSync) == true
        if isNew, tellsOfInApp { draft.state.sync.inApp.mark() }
        if let badge = push.payload.badge, configuration.badgesEnabled {
            draft.state.sync.badge.told(badge, by: push.payload.sid)
        }
        guard draft.state.sync != former else { return true }
        try commit(draft)
        waker.wake()
        if draft.state.sync.badge.badge != former.badge.badge { await showBadge() }
        return true
    }

    func retention(at now: Date) -> CenterRetention {
        CenterRetention(configuration.messageCenterRetention, now: now)
    }

    /// What the retention and the messages' own expiry let go (MC-7).
    func dropOldMessages(in draft: inout StateDraft, now: Date) throws(BelfryError) {
        guard draft.state.sync.centers.isEnabled else { return }
        let retention = retention(at: now)
        guard try storage.opened().store.holdsOld(retention) else { return }
        draft.change.centers.append(.dropOld(retention))
    }
}
