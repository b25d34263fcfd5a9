import BelfryModel
import BelfryRules
import Foundation

/// The app's calls about message centers: the messages on the device, and the result of the last fetch (MC-1, MC-6,
/// MC-14).
struct MessageCenterCoordinator: Sendable {
    /// Stored messages, and the reason why they may be out of date.
    typealias List = (messages: [StoredMessageCenterMessage], error: MessageCenterError?, fetchedAt: Date?)

    let engine: DeviceEngine

    var isEnabled: Bool {
        get async throws(BelfryError) { try await engine.state().sync.centers.isEnabled }
    }

    /// Turns the message center on or off. When it is turned off, all fetched messages are removed; pending message
    /// states are still sent to the server (MC-1).
    func setEnabled(_ isEnabled: Bool) async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            guard step.state.sync.centers.isEnabled != isEnabled else { return }
            step.state.sync.centers.setEnabled(isEnabled)
            MessageCenterMachine.purge(contactStays: true, in: &step)
            step.change.scrubs = !isEnabled
            step.then(.wake)
        }
    }

    /// The centers that the last response listed, in its order; none while the client is suspended.
    var listed: [ListedMessageCenter] {
        get async throws(BelfryError) {
            let current = try await engine.state()
            guard current.privacy.rest == nil else { return [] }
            let centers = current.sync.centers
            return centers.listed.map { ListedMessageCenter(name: $0, label: centers.label(of: $0)) }
        }
    }

    /// The stored messages, newest first, and why they may be out of date. It never waits for the network (MC-6).
    func messages(in center: String) async throws(BelfryError) -> List {
        try await engine.step { step throws(BelfryError) -> List in
            if let rest = step.state.privacy.rest { return ([], MessageCenterError(rest.error), nil) }
            guard step.state.sync.centers.isEnabled else { return ([], .notEnabledYet, nil) }
            let fetchedAt = step.state.sync.centers.fetchedAt
            guard let name = try? MessageCenterName(center).rawValue else {
                return ([], .unknownCenter(center), fetchedAt)
            }
            let messages = try step.store.centerMessages(in: name, step.retention)
            if step.state.sync.centers.wanted(name) { step.then(.wake) }
            return (messages, MessageCenterMachine.error(of: name, in: step), fetchedAt)
        }
    }

    /// - Parameter center: nil for all centers.
    func unreadCount(in center: String?) async throws(BelfryError) -> Int {
        try await engine.read { step throws(BelfryError) in
            guard step.state.privacy.rest == nil, step.state.sync.centers.isEnabled else { return 0 }
            var name: String?
            if let center {
                guard let parsed = try? MessageCenterName(center) else { return 0 }
                name = parsed.rawValue
            }
            return try step.store.messageStates(in: name, step.retention).values.count { $0 == .unread }
        }
    }

    /// The person read or deleted a message: visible at once, and sent to the server as soon as possible (MC-14).
    func setState(_ messageState: MessageState, of id: String) async throws(MessageCenterError) {
        try await checkEnabled()
        guard messageState != .unread else {
            throw MessageCenterError(.refused, "A message can become read or deleted, but not unread.")
        }
        let isKnown = try await engine.step(orThrow: MessageCenterError.init) { step throws(BelfryError) in
            guard let former = try step.store.messageStates(in: nil, step.retention, includesUnlisted: true)[id]
            else { return false }
            guard messageState > former else { return true }
            let pending = PendingMessageState(id: id, state: messageState, owner: step.state.sync.link.owner)
            step.change.centers.append(.setState(pending))
            step.change.scrubs = messageState == .deleted
            step.then(.wake)
            return true
        }
        guard isKnown else { throw .unknownMessage }
    }

    /// Fetches now, and returns when the response is stored.
    func refresh() async throws(MessageCenterError) {
        try await checkEnabled()
        _ = try await engine.ask(.fetchCenters)
    }

    /// - Returns: the state of a client that is neither suspended nor stopped.
    @discardableResult
    private func checkEnabled() async throws(MessageCenterError) -> DeviceState {
        let current = try await engine.presentState()
        guard current.sync.centers.isEnabled else { throw .notEnabledYet }
        return current
    }
}

// MARK: - Single messages

extension MessageCenterCoordinator {
    /// The stored content, otherwise the content that the server serves until this device confirms it (MC-9).
    func richContent(for id: String) async throws(MessageCenterError) -> String {
        try await checkEnabled()
        guard !id.isEmpty, id.utf8.count <= StoredMessageCenterMessage.maximumIDBytes else { throw .unknownMessage }
        let held = try await engine.step(orThrow: MessageCenterError.init) { step throws(BelfryError) in
            try step.store.richContent(of: id, now: step.retention.serverTime)?.html
        }
        if let held { return held }
        guard case .html(let html) = try await engine.ask(.richContent(id: id)) else { throw .unknownMessage }
        return html
    }

    /// Finds the message that was kept with an opened push; if the device does not have it, all centers are fetched
    /// once (MC-3, CAMP-6). A push that came before a login has its message in the installation's inbox, which no list
    /// shows then: it is fetched by itself (MC-15).
    ///
    /// - Returns: nil when the person has no such message, and for a push to a former person (ID-4).
    func message(for push: ReceivedPush) async throws(MessageCenterError) -> StoredMessageCenterMessage? {
        guard try await isForPresentPerson(push), let campaign = push.payload.campaign.flatMap({ CampaignID($0) })
        else { return nil }
        if let message = try await stored(of: campaign) { return message }
        try await refresh()
        // The person may have changed during the fetch.
        guard try await isForPresentPerson(push) else { return nil }
        if let message = try await stored(of: campaign) { return message }
        guard case .message(_?) = try await engine.ask(.message(sid: push.payload.sid)),
            try await isForPresentPerson(push)
        else { return nil }
        return try await stored(of: campaign)
    }

    /// Whether the push is for the present person. It reports nothing: a drop was reported when the opening was
    /// recorded.
    private func isForPresentPerson(_ push: ReceivedPush) async throws(MessageCenterError) -> Bool {
        try await checkEnabled().pushFilter.dropReason(of: push) == nil
    }

    /// The person's message of a campaign. There is at most one, and its id contains the campaign.
    private func stored(of campaign: CampaignID) async throws(MessageCenterError) -> StoredMessageCenterMessage? {
        try await engine.step(orThrow: MessageCenterError.init) { step throws(BelfryError) in
            try step.store.centerMessages(in: nil, step.retention, includesUnlisted: true)
                .first { MessageID($0.id)?.campaign == campaign }
        }
    }
}

// MARK: - The sessions of the view (ENG-1, ENG-2)

extension MessageCenterCoordinator {
    func viewAppeared() async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.takesEvents else { return }
            step.state.display.appeared(at: step.now, newID: step.newID(), timeout: step.configuration.sessionTimeout)
        }
    }

    /// Ends the session; the displays are uploaded at once.
    func viewDisappeared() async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.rest == nil else { return }
            step.state.display.ended()
            step.state.sync.uploads.requestFlush()
            step.then(.wake)
        }
    }

    /// Counts a display once in a session; the event and the record of the display are one transaction.
    func trackDisplay(of message: String) async throws(BelfryError) {
        try EventRecorder.check(message)
        try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.takesEvents else { return }
            let newID = step.newID()
            guard let id = step.state.display.displayed(message, at: step.now, newID: newID) else { return }
            step.change.events.append(try step.recorder.display(of: message, id: id, at: step.now))
            step.then(.wake)
        }
    }
}
