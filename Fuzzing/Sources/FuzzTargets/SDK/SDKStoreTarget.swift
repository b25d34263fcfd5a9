import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

@testable import Belfry

/// The content of the SDK's store, and of the folder that it shares with the notification service extension. An older
/// version may have written it, or it may be damaged.
enum SDKStoreTarget {
    static func run(_ bytes: [UInt8]) throws {
        let data = Data(bytes)
        try record(data)
        try part(SyncState.self, data)
        try part(SessionRules.self, data)
        try part(PrivacyRules.self, data)
        try part(RecipientTags.self, data)
        try part(MessageViewSession.self, data)
        try part(InAppRules.self, data)
        try part(ExtensionBrief.self, data)
        try part(RenewedToken.self, data)
        try messages(data)
        try note(data)
    }

    /// A value that can be read can be written, and reads back as the same value.
    private static func part<Value: Codable & Equatable>(_ type: Value.Type, _ data: Data) throws {
        guard let value = try? CheckedJSON.stored(type, data) else { return }
        guard let written = try? JSONEncoder().encode(value) else {
            throw Finding("a \(type) that was read can be written")
        }
        guard let again = try? CheckedJSON.stored(type, written) else {
            throw Finding("a \(type) that was written can be read: \(String(decoding: written, as: UTF8.self))")
        }
        try expect(again == value, "a \(type) reads back as itself: \(String(decoding: written, as: UTF8.self))")
    }

    private static func record(_ data: Data) throws {
        guard let record = (try? CheckedJSON.stored(StoredRecord.self, data))?.record else { return }
        guard let written = try? JSONEncoder().encode(StoredRecord(record)),
            let again = try? CheckedJSON.stored(StoredRecord.self, written)
        else { throw Finding("a record that was read can be written and read") }
        try expect(again.record == record, "a record reads back as itself: \(record)")
    }

    private static func messages(_ data: Data) throws {
        if let body = try? CheckedJSON.stored(InAppMessageBody.self, data) {
            _ = StoredInAppMessage(body)?.candidate
        }
        guard let body = try? CheckedJSON.stored(MessageCenterMessageBody.self, data),
            let message = StoredMessageCenterMessage(body)
        else { return }
        try expect(
            (1...StoredMessageCenterMessage.maximumIDBytes).contains(message.id.utf8.count), "an id has a bound")
        _ = MessageCenterMessage(message)
    }

    private static func note(_ data: Data) throws {
        guard let note = try? CheckedJSON.stored(PushNote.self, data) else { return }
        try expect(note.timeText.utf8.count >= 16, "names sort by time: \(note.timeText)")
        try expect(!note.fileDigest.utf8.contains(UInt8(ascii: "/")), "a digest is part of a file's name")
        guard let event = try? note.event() else { return }
        try expect((try? CheckedJSON(event)) != nil, "the event of a note is JSON")
    }
}
