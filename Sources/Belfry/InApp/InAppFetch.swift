import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// A fetch of in-app messages under way.
struct InAppFetch: Sendable {
    /// As they were when it began.
    let generation: Int
    let cursor: String?
    let marks: Int
    let showings: Int
    /// The numbers of those who wait for it.
    let awaited: [Int]
}

/// The answer of a sync, read (WIRE-9).
struct InAppReading {
    /// Bytes of a cursor that is kept. A longer one could not be said in an address.
    static let maximumCursorBytes = 8_192

    let cursor: String
    let messages: [StoredInAppMessage]
    let recalled: [String]

    /// What cannot be read as a message, one of a type that came later, hides no other (IAM-12).
    ///
    /// - Returns: nil for an answer that no Belfry server gives.
    init?(_ body: Data) {
        guard let answer = try? CheckedJSON.answer(InAppSyncAnswer.self, body), !answer.cursor.isEmpty,
            answer.cursor.utf8.count <= Self.maximumCursorBytes
        else { return nil }
        cursor = answer.cursor
        messages = answer.messages.prefix(StoredInAppMessage.maximumKept).compactMap { StoredInAppMessage($0) }
        recalled = answer.recalled
    }
}
