import BelfryRules
import Foundation

/// Why the messages on the device may not be the server's (MC-10).
extension SyncEngine {
    func centerError(of name: String, _ sync: SyncState, now: Date) -> MessageCenterError? {
        let centers = sync.centers
        if let error = fetchError(of: centers) { return error }
        if isOverdue(centers, now: now) {
            if !isRunning { return .notStarted }
            if !isOnline { return .offline }
            // No fetch was even tried.
            if !sync.isContactSettled(now: now), let failure = sync.contactFailure {
                return MessageCenterError(failure)
            }
        }
        guard centers.fetchedAt != nil, !centers.listed.contains(name) else { return nil }
        return centers.failure(of: name).map { MessageCenterError($0) } ?? .unknownCenter(name)
    }

    /// Why the last fetch failed; nil when it did not.
    func fetchError(of centers: CenterSchedule) -> MessageCenterError? {
        switch centers.flaw {
        case .empty: return MessageCenterError(.emptyResponse, "The answer has no body.")
        case .unreadable: return MessageCenterError(.invalidPayload, "The answer was not one of a Belfry server.")
        case nil: break
        }
        guard let failure = centers.gate.lastFailure else { return nil }
        let error = MessageCenterError(failure)
        guard error.code == .noNetwork, centers.hasGivenUp(policy: configuration.syncPolicy.centers) else {
            return error
        }
        return MessageCenterError(.maximumRetryReached, error.message)
    }

    private func isOverdue(_ centers: CenterSchedule, now: Date) -> Bool {
        guard let fetchedAt = centers.fetchedAt else { return true }
        return centers.isMarked || fetchedAt.addingTimeInterval(configuration.messageCenterInterval) <= now
    }
}

extension MessageCenterError {
    static func unknownCenter(_ name: String) -> MessageCenterError {
        MessageCenterError(.messageCenterFailure, "The server lists no message center '\(name.prefix(64))'.")
    }

    static let unknownMessage = MessageCenterError(.unknownMessage, "The person has no such message on this device.")
}
