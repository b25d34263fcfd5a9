import BelfryModel
import Foundation

@testable import BelfryServerModel
@testable import BelfryServices
@testable import BelfryStore

/// Values of database rows, which an older version may have written or which may be damaged.
enum DatabaseValueTarget {
    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        try stored(AppSettings.self, text)
        try stored(AppliedSnapshot.self, text)
        try stored(CampaignSchedule.self, text)
        try stored(Condition.self, text)
        try stored(InAppDraft.self, text)
        try stored(MessageCenterContent.self, text)
        try stored(PushContent.self, text)
        try stored(RegistrationSnapshot.self, text)
        _ = try? StoredAttributes.read(text)
        let waiting = WaitingSnapshot(RegistrationKey(device: 1, id: 1), text: text)
        try expect(DecodedSnapshots([waiting]).ids == [1], "a snapshot that cannot be read waits as any other")
        try row(text)
    }

    /// A value that can be read can be written, and reads back as the same value.
    private static func stored<Value: Codable>(_ type: Value.Type, _ text: String) throws {
        guard let value = try? JSONText.decode(type, text) else { return }
        let written = try JSONText.encode(value)
        guard let again = try? JSONText.decode(type, written) else {
            throw Finding("a \(type) that was written can be read: \(written)")
        }
        try expect(try JSONText.encode(again) == written, "a \(type) reads back as itself: \(written)")
    }

    private static func row(_ text: String) throws {
        for columns in 0..<3 {
            let row = TextRow(text: text, nulls: columns)
            _ = try? DeviceRow(row)
        }
    }

    /// A row in which every column is the same text, or null.
    private struct TextRow: SQLRow {
        let text: String
        let nulls: Int

        func isNull(_ column: Int) -> Bool { nulls > 0 && column % 3 == nulls }
        func integer(_ column: Int) -> Int64 { Int64(text) ?? .max }
        func text(_ column: Int) -> String { text }
        func blob(_ column: Int) -> [UInt8] { Array(text.utf8) }
    }
}
