import Belfry
import BelfryModel
import Foundation

/// The file with the part of the phone's system state that survives a restart of the phones' program. It is beside the
/// app's files.
struct PhoneSystemFile: Sendable {
    /// The largest file in bytes. All notifications that a phone keeps and a push that APNs keeps for it need less,
    /// even with the longest payloads that APNs delivers.
    static let maximumBytes = 1_048_576

    /// The file cannot be read as one that a phone has written.
    struct Damaged: Error {}
    /// The state is longer than ``maximumBytes``, and so could not be read again.
    struct TooLong: Error {}

    private let url: URL

    /// - Parameter folder: the folder of the app's files.
    init(folder: URL) {
        url = folder.appending(path: "phone-system.json", directoryHint: .notDirectory)
    }

    /// - Returns: nil when nothing was stored.
    /// - Throws: ``Damaged`` for a file that cannot be read.
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
        // The folder may not exist before the app is first opened. It is private to its owner, because the file
        // contains the push token.
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try data.write(to: url, options: .atomic)
    }
}

/// The state in the file's format.
private struct StoredSystem: Codable {
    struct Notification: Codable {
        /// The payload in base64.
        let payload: String
        let collapseID: String?
        let at: Date
    }

    /// A push that APNs keeps while the phone has no network.
    struct Held: Codable {
        /// The payload in base64.
        let payload: String
        let id: String
        let collapseID: String?
        let isBackground: Bool
        let expiresAt: Date?
        let number: Int
    }

    /// The longest token in bytes; APNs issues shorter ones.
    private static let longestToken = 200

    let permission: PushPermission
    let badge: Int
    let notifications: [Notification]
    let pushToken: String?
    let newestPush: Int
    let held: Held?
    /// Missing in files of older versions.
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

    /// - Returns: nil for a state that no phone could have.
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

    /// Checks the characters, because a token becomes part of an address.
    private static func isToken(_ text: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard (1...longestToken).contains(text.utf8.count) else { return false }
        return text.utf8.allSatisfy { digits.contains($0) || letters.contains($0 | 0x20) }
    }

    /// A stored notification. A time in the future is replaced by `now`: the clock was set back meanwhile.
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

    /// - Returns: nil for a push that no push service sends.
    var arrival: PushArrival? {
        guard number >= 0, let payload = Base64Text.bytes(payload, alphabet: .standard) else { return nil }
        return PushArrival(
            payload: Data(payload), id: id, collapseID: collapseID, isBackground: isBackground, expiresAt: expiresAt,
            number: number
        )
    }
}
