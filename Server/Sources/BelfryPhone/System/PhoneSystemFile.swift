import Belfry
import BelfryModel
import Foundation

/// What a phone's system keeps, on the phone's disk beside the files of its app: both outlive the phones' program.
struct PhoneSystemFile: Sendable {
    /// As many notifications as a phone keeps, and the push that APNs keeps for it, with the longest payloads that APNs
    /// delivers, are fewer.
    static let maximumBytes = 1_048_576

    /// The file is none that a phone has written.
    struct Damaged: Error {}
    /// More than would be read again.
    struct TooLong: Error {}

    private let url: URL

    /// - Parameter folder: of the app's files.
    init(folder: URL) {
        url = folder.appending(path: "phone-system.json", directoryHint: .notDirectory)
    }

    /// - Returns: nil when nothing was stored.
    /// - Throws: ``Damaged``.
    func read(now: Date) throws -> PhoneSystem.Kept? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        guard let file = try? FileHandle(forReadingFrom: url) else { throw Damaged() }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: Self.maximumBytes + 1),
            let json = try? CheckedJSON(data, maximumBytes: Self.maximumBytes),
            let stored = try? json.decode(StoredSystem.self), let kept = stored.kept(now: now)
        else { throw Damaged() }
        return kept
    }

    func write(_ kept: PhoneSystem.Kept) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let data = try encoder.encode(StoredSystem(kept))
        guard data.count <= Self.maximumBytes else { throw TooLong() }
        // The app may not have been opened yet. The push token is nobody else's business.
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try data.write(to: url, options: .atomic)
    }
}

/// The same as the file has it.
private struct StoredSystem: Codable {
    struct Notification: Codable {
        /// In base64.
        let payload: String
        let collapseID: String?
        let at: Date
    }

    /// A push that APNs keeps while the phone has no network.
    struct Held: Codable {
        /// In base64.
        let payload: String
        let id: String
        let collapseID: String?
        let isBackground: Bool
        let expiresAt: Date?
        let number: Int
    }

    /// Bytes of a token; those of APNs have fewer.
    private static let longestToken = 200

    let permission: PushPermission
    let badge: Int
    let notifications: [Notification]
    let pushToken: String?
    let newestPush: Int
    let held: Held?
    /// Absent in the files of former versions.
    let formerTokens: [String]?

    init(_ kept: PhoneSystem.Kept) {
        permission = kept.permission
        badge = kept.badge
        notifications = kept.notifications.map {
            Notification(payload: $0.payload.base64EncodedString(), collapseID: $0.collapseID, at: $0.at)
        }
        pushToken = kept.pushToken
        newestPush = kept.newestPush
        held = kept.held.map { Held($0) }
        formerTokens = kept.formerTokens
    }

    /// - Returns: nil for what no phone keeps.
    func kept(now: Date) -> PhoneSystem.Kept? {
        let formerTokens = formerTokens ?? []
        guard badge >= 0, newestPush >= 0, notifications.count <= PhoneSystem.maximumNotifications,
            formerTokens.count <= PhoneSystem.maximumFormerTokens,
            (formerTokens + [pushToken].compactMap(\.self)).allSatisfy(Self.isToken)
        else { return nil }
        let shown = notifications.enumerated().compactMap { Self.notification($1, number: $0 + 1, now: now) }
        let arrival = held.flatMap(\.arrival)
        guard shown.count == notifications.count, (arrival == nil) == (held == nil) else { return nil }
        return PhoneSystem.Kept(
            permission: permission, badge: badge, notifications: shown, pushToken: pushToken, newestPush: newestPush,
            held: arrival, formerTokens: formerTokens
        )
    }

    /// It becomes part of an address.
    private static func isToken(_ text: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard (1...longestToken).contains(text.utf8.count) else { return false }
        return text.utf8.allSatisfy { digits.contains($0) || letters.contains($0 | 0x20) }
    }

    /// One from a time that is still to come is as of now: the clock was set back meanwhile.
    private static func notification(_ stored: Notification, number: Int, now: Date) -> PhoneNotification? {
        guard stored.at.timeIntervalSince1970 >= 0,
            let payload = Base64Text.bytes(stored.payload, alphabet: .standard)
        else { return nil }
        let arrival = PushArrival(
            payload: Data(payload), id: "", collapseID: stored.collapseID, isBackground: false, expiresAt: nil
        )
        let shown = PhoneNotification(arrival, number: number, at: min(stored.at, now))
        return shown?.isVisible == true ? shown : nil
    }
}

extension StoredSystem.Held {
    init(_ arrival: PushArrival) {
        payload = arrival.payload.base64EncodedString()
        id = arrival.id
        collapseID = arrival.collapseID
        isBackground = arrival.isBackground
        expiresAt = arrival.expiresAt
        number = arrival.number
    }

    /// - Returns: nil for what no push service sends.
    var arrival: PushArrival? {
        guard number >= 0, let payload = Base64Text.bytes(payload, alphabet: .standard) else { return nil }
        return PushArrival(
            payload: Data(payload), id: id, collapseID: collapseID, isBackground: isBackground, expiresAt: expiresAt,
            number: number
        )
    }
}
