import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// A fetch of in-app messages in progress.
struct InAppFetch: Sendable {
    /// The generation when the fetch began.
    let generation: Int
    let cursor: String?
    let marks: Int
    let showings: Int
    /// The numbers of the callers that wait for it.
    let awaited: [Int]
}

/// The decoded response to a sync (WIRE-9).
struct InAppReading {
    /// The maximum length of a cursor in bytes. A longer one would not fit into an address.
    static let maximumCursorBytes = 8_192

    let cursor: String
    let messages: [StoredInAppMessage]
    let recalled: [String]
    let registration: RegistrationResult?
    /// The server has assigned the push token to another device (REG-27).
    let needsPushToken: Bool

    /// An unreadable message, such as one of a newer type, does not affect the others (IAM-12).
    ///
    /// - Returns: nil for a response that no Belfry server sends.
    init?(_ body: Data) {
        guard let response = try? CheckedJSON.response(InAppSyncResponse.self, body), !response.cursor.isEmpty,
            response.cursor.utf8.count <= Self.maximumCursorBytes
        else { return nil }
        cursor = response.cursor
        messages = response.messages.prefix(StoredInAppMessage.maximumKept).compactMap { StoredInAppMessage($0) }
        recalled = response.recalled
        registration = response.registration
        needsPushToken = response.pushTokenNeeded == true
    }
}
