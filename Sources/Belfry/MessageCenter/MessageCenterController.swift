import BelfryModel
import BelfryRules
import Foundation

/// The message centers as the app sees them: what is on the device, and how the last fetch went (MC-1, MC-6, MC-14).
struct MessageCenterController: Sendable {
    /// Messages as the device has them, and why they may be old.
    typealias List = (messages: [StoredCenterMessage], error: MessageCenterError?, fetchedAt: Date?)

    let engine: DeviceEngine

    var isEnabled: Bool {
        get async throws(BelfryError) { try await engine.state().sync.centers.isEnabled }
    }

    /// Turned off, nothing that was fetched stays; what the person did with it is still told to the server (MC-1).
    func setEnabled(_ isEnabled: Bool) async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            guard step.state.sync.centers.isEnabled != isEnabled else { return }
            step.state.sync.centers.setEnabled(isEnabled)
            MessageCenterMachine.purge(in: &step)
            step.change.scrubs = !isEnabled
            step.then(.wake)
        }
    }

    /// The centers that the last answer listed, in its order; none while the client rests.
    var listed: [ListedMessageCenter] {
        get async throws(BelfryError) {
            let current = try await engine.state()
            guard current.privacy.rest == nil else { return [] }
            let centers = current.sync.centers
            return centers.listed.map { ListedMessageCenter(name: $0, label: centers.label(of: $0)) }
        }
    }

    /// What is stored, newest first, and why it may be old. It never waits for the network (MC-6).
    func messages(in center: String) async throws(BelfryError) -> List {
        try await engine.step { step throws(BelfryError) -> List in
            if let rest = step.state.privacy.rest { return ([], MessageCenterError(rest.refusal), nil) }
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
        try await engine.look { step throws(BelfryError) in
            guard step.state.privacy.rest == nil, step.state.sync.centers.isEnabled else { return 0 }
            var name: String?
            if let center {
                guard let parsed = try? MessageCenterName(center) else { return 0 }
                name = parsed.rawValue
            }
            return try step.store.messageStates(in: name, step.retention).values.count { $0 == .unread }
        }
    }

    /// The person read or deleted a message: seen at once, told to the server as soon as it can be (MC-14).
    func setState(_ messageState: MessageState, of id: String) async throws(MessageCenterError) {
        try await checkEnabled()
        guard messageState != .unread else {
            throw MessageCenterError(.refused, "A message becomes read or deleted, and never unread again.")
        }
        let isKnown = try await engine.step(orThrow: MessageCenterError.init) { step throws(BelfryError) in
            guard let former = try step.store.messageStates(in: nil, step.retention)[id] else { return false }
            guard messageState > former else { return true }
            let pending = PendingMessageState(id: id, state: messageState, owner: step.state.sync.link.owner)
            step.change.centers.append(.setState(pending))
            step.change.scrubs = messageState == .deleted
            step.then(.wake)
            return true
        }
        guard isKnown else { throw .unknownMessage }
    }

    /// Asks the server now, and returns when its answer is stored.
    func refresh() async throws(MessageCenterError) {
        try await checkEnabled()
        _ = try await engine.ask(.fetchCenters)
    }

    /// - Returns: the state of a client that neither rests nor was stopped.
    @discardableResult
    private func checkEnabled() async throws(MessageCenterError) -> DeviceState {
        let current = try await engine.presentState()
        guard current.sync.centers.isEnabled else { throw .notEnabledYet }
        return current
    }
}

// MARK: - Single messages

extension MessageCenterController {
    /// What is on the device, else what the server serves once (MC-9).
    func richContent(for id: String) async throws(MessageCenterError) -> String {
        try await checkEnabled()
        guard !id.isEmpty, id.utf8.count <= StoredCenterMessage.maximumIDBytes else { throw .unknownMessage }
        let held = try await engine.step(orThrow: MessageCenterError.init) { step throws(BelfryError) in
            try step.store.richContent(of: id, now: step.now)?.html
        }
        if let held { return held }
        guard case .html(let html) = try await engine.ask(.richContent(id: id)) else { throw .unknownMessage }
        return html
    }

    /// From a push that was opened to the message that was kept with it; when the device does not have it, all centers
    /// are fetched once (MC-3, CAMP-6).
    ///
    /// - Returns: nil when the person has no such message, and for a push that is meant for a former person (ID-4).
    func message(for push: ReceivedPush) async throws(MessageCenterError) -> StoredCenterMessage? {
        guard try await isForPresentPerson(push), let campaign = push.payload.campaign.flatMap({ CampaignID($0) })
        else { return nil }
        if let message = try await stored(of: campaign) { return message }
        try await refresh()
        // Somebody else may use the device by now.
        guard try await isForPresentPerson(push) else { return nil }
        return try await stored(of: campaign)
    }

    /// Nothing is reported here: who opened the push was told already when that was recorded.
    private func isForPresentPerson(_ push: ReceivedPush) async throws(MessageCenterError) -> Bool {
        try await checkEnabled().pushFilter.dropReason(of: push) == nil
    }

    /// A person has one message of a campaign at most, and its id names the campaign.
    private func stored(of campaign: CampaignID) async throws(MessageCenterError) -> StoredCenterMessage? {
        try await engine.step(orThrow: MessageCenterError.init) { step throws(BelfryError) in
            try step.store.centerMessages(in: nil, step.retention)
                .first { MessageID($0.id)?.campaign == campaign }
        }
    }
}

// MARK: - The sessions of the view (ENG-1, ENG-2)

extension MessageCenterController {
    func viewAppeared() async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.takesEvents else { return }
            step.state.display.appeared(at: step.now, newID: step.newID(), timeout: step.configuration.sessionTimeout)
        }
    }

    /// Ends the session; what was displayed leaves at once.
    func viewDisappeared() async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.rest == nil else { return }
            step.state.display.ended()
            step.state.sync.uploads.requestFlush()
            step.then(.wake)
        }
    }

    /// Counts a display once in a session; the event and the memory of it are one transaction.
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
