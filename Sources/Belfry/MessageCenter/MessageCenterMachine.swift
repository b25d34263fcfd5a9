import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// The calls about messages, the handling of their responses, and changes of the stored messages (MC-4 to MC-13).
enum MessageCenterMachine {
    /// From now on another contact's messages are shown, and none of the former one's (MC-12).
    static func contactChanged(in step: inout DeviceStep) {
        step.state.sync.centers.contactChanged()
        purge(contactStays: false, in: &step)
    }

    static func purge(contactStays: Bool, in step: inout DeviceStep) {
        step.change.centers.append(.purge(contactStays: contactStays))
        step.then(.purgeCenterFeed)
    }

    /// Removes messages that the retention or their own expiry ended (MC-7).
    static func dropOldMessages(in step: inout DeviceStep) throws(BelfryError) {
        guard step.state.sync.centers.isEnabled else { return }
        let retention = step.retention
        guard try step.store.holdsOld(retention) else { return }
        let ended = try step.store.endedMessages(retention)
        step.change.centers.append(.dropOld(retention))
        guard !ended.isEmpty else { return }
        let update = MessageCenterUpdate(
            centers: [], changedCenters: Set(ended.values).sorted(), removedMessages: Set(ended.keys)
        )
        step.then(.tellCenters(MessageCenterNews(update: update, response: nil)))
    }
}

// MARK: - Calls

extension MessageCenterMachine {
    static func fetchCall(_ requests: DeviceRequests, in step: inout DeviceStep) -> DeviceCall {
        step.state.sync.centers.attempted(at: step.now)
        let request = requests.centers()
        let fetch = MessageCenterFetch(
            generation: step.state.sync.centers.generation,
            marks: step.state.sync.centers.marks,
            // The address of the request (MC-11).
            url: URLText.url(step.configuration.serverURL.origin + request.path),
            badgeRevision: step.state.sync.badge.badge.revision,
            awaited: step.process.awaited.fetches(.fetchCenters)
        )
        return DeviceCall(purpose: .centers(fetch), request: request)
    }

    /// Fetches a center that the response for all centers did not list.
    static func fetchCall(of name: String, _ requests: DeviceRequests, in step: DeviceStep) -> DeviceCall {
        let purpose = DeviceCall.Purpose.center(name, generation: step.state.sync.centers.generation)
        return DeviceCall(purpose: purpose, request: requests.center(name))
    }

    /// Sends a message state for the contact whose message it is, whoever uses the device now (ID-7). If that contact
    /// is unknown, the state is discarded.
    static func stateCall(
        _ pending: PendingMessageState,
        _ requests: DeviceRequests,
        in step: inout DeviceStep
    ) throws(BelfryError) -> DeviceCall? {
        let owners = step.state.sync.link.eventOwners(holdsPresent: false)
        guard case .leaves(let reference) = owners.resolution(of: pending.owner) else {
            step.change.centers.append(.settle(pending))
            return nil
        }
        return DeviceCall(
            purpose: .messageState(pending),
            request: try requests.messageState(pending, reference: reference)
        )
    }

}

// MARK: - Responses

extension MessageCenterMachine {
    static func fetched(
        _ fetch: MessageCenterFetch,
        _ response: ServerResponse,
        in step: inout DeviceStep
    ) throws(BelfryError) {
        var outcome = response.outcome
        var flaw: ResponseFlaw?
        if outcome == .accepted {
            switch MessageCenterReading(response.body) {
            case .read(let said, let messages):
                step.noticeToken(.accepted)
                // A response for a person who has left is dropped; the next fetch is due at once (MC-12).
                guard fetch.generation == step.state.sync.centers.generation else { return }
                return try take(said, messages, of: fetch, body: response.body, in: &step)
            case .flawed(let found):
                flaw = found
                outcome = response.misunderstood(now: step.now).outcome
            }
        }
        step.noticeToken(outcome)
        guard fetch.generation == step.state.sync.centers.generation else { return }
        step.state.sync.centers.failed(
            outcome, flaw: flaw, now: step.now, random: step.jitter(), policy: step.policy.centers
        )
        if case .unauthorized = outcome { return }
        guard let error = fetchError(of: step.state.sync.centers, policy: step.policy.centers) else { return }
        for number in fetch.awaited { step.finish(number, .failure(error)) }
    }

    /// The response is authoritative for all centers (MC-5).
    private static func take(
        _ said: MessageCentersResponse,
        _ messages: [StoredMessageCenterMessage],
        of fetch: MessageCenterFetch,
        body: Data,
        in step: inout DeviceStep
    ) throws(BelfryError) {
        ContactMachine.processed(said.registration, in: &step)
        let listed = ListedMessageCenter.all(of: said)
        let update = try MessageCenterUpdate(after: messages, in: listed, step)
        step.state.sync.centers.succeeded(
            listed: listed.map(\.name), labels: ListedMessageCenter.labels(of: listed),
            disabled: said.disabled.map { Array($0.prefix(MessageCenterReading.maximumCenters)) }, marks: fetch.marks,
            now: step.now
        )
        step.change.centers.append(.replace(messages, fetchedAt: step.now))
        // While a reset is outstanding, the number belongs to a person who has left.
        if let badge = said.badge, step.configuration.badgesEnabled, !step.state.sync.badge.owesReset {
            step.state.sync.badge.answered(badge, askedAt: fetch.badgeRevision)
        }
        let news = MessageCenterNews(
            update: update,
            response: fetch.url.map { MessageCenterResponse(json: body, url: $0) }
        )
        step.then(.tellCenters(news))
        for number in fetch.awaited { step.finish(number, .success(.fetched)) }
    }

    static func fetched(_ name: String, generation: Int, _ response: ServerResponse, in step: inout DeviceStep) {
        let read = response.reading(MessageCenterMessagesResponse.self, now: step.now).response
        step.noticeToken(read.outcome)
        guard generation == step.state.sync.centers.generation else { return }
        step.state.sync.centers.answered(name, read.outcome)
    }

    static func stateSent(_ pending: PendingMessageState, _ response: ServerResponse, in step: inout DeviceStep) {
        step.noticeToken(response.outcome)
        let result = step.state.sync.messageStates.answered(
            response.outcome, now: step.now, random: step.jitter(), policy: step.policy.calls
        )
        if result != .kept { step.change.centers.append(.settle(pending)) }
    }

}

// MARK: - Why the messages on the device may be out of date (MC-10)

extension MessageCenterMachine {
    static func error(of name: String, in step: DeviceStep) -> MessageCenterError? {
        let sync = step.state.sync
        let centers = sync.centers
        if let error = fetchError(of: centers, policy: step.policy.centers) { return error }
        let dueAt = centers.fetchedAt?.addingTimeInterval(step.configuration.messageCenterInterval)
        if centers.isFetchRequested || dueAt ?? .distantPast <= step.now {
            if !step.process.isRunning { return .notStarted }
            if !step.process.isOnline { return .offline }
            // A fetch could not even be tried.
            if !sync.isContactSettled(now: step.now), let failure = sync.contactFailure {
                return MessageCenterError(failure)
            }
        }
        guard centers.fetchedAt != nil, !centers.listed.contains(name) else { return nil }
        if centers.disabled?.contains(name) == true { return .disabledCenter(name) }
        return centers.failure(of: name).map { MessageCenterError($0) } ?? .unknownCenter(name)
    }

    /// The reason why the last fetch failed; nil when it succeeded.
    private static func fetchError(of centers: MessageCenterSchedule, policy: MessageCenterPolicy)
        -> MessageCenterError?
    {
        switch centers.flaw {
        case .empty: return MessageCenterError(.emptyResponse, "The response has no body.")
        case .unreadable: return MessageCenterError(.invalidPayload, "The response is not from a Belfry server.")
        case nil: break
        }
        guard let failure = centers.gate.lastFailure else { return nil }
        let error = MessageCenterError(failure)
        guard error.code == .noNetwork, centers.hasGivenUp(policy: policy) else { return error }
        return MessageCenterError(.maximumRetryReached, error.message)
    }
}

extension DeviceStep {
    /// How long messages are kept.
    var retention: MessageCenterRetention {
        MessageCenterRetention(
            configuration.messageCenterRetention, now: now, serverTime: state.sync.serverTime(at: now)
        )
    }
}

extension MessageCenterError {
    static func unknownCenter(_ name: String) -> MessageCenterError {
        MessageCenterError(.messageCenterFailure, "The server has no message center '\(name.prefix(64))'.")
    }

    static func disabledCenter(_ name: String) -> MessageCenterError {
        MessageCenterError(.messageCenterDisabled, "The message center '\(name.prefix(64))' is disabled.")
    }

    static let unknownMessage = MessageCenterError(.unknownMessage, "The person has no such message on this device.")
    static let notEnabledYet = MessageCenterError(
        .notEnabled, "The message center is off. Turn it on with setMessageCenterEnabled(true)."
    )
}
