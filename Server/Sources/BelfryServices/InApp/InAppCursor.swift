import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// The in-app messages that a device has, and the state of the store when it got them (WIRE-9). The device keeps the
/// cursor, so the server stores nothing about a response that may have been lost.
///
/// It is neither secret nor proof: a forged cursor gets a device too many or too few messages, and only its own.
struct InAppCursor: Hashable, Sendable {
    /// Messages besides those that the app's campaigns offer now: enough for years, and few enough for a URL.
    static let maximumOthers = 200
    /// The most messages that a device can have. The server never issues a cursor with more.
    static let maximumHeld = InAppSync.maximumMessages + maximumOthers
    /// The longest cursor, in characters.
    static let maximumLength = 8_192
    private static let format: UInt8 = 1

    /// The owner of the cursor: a digest of device and contact.
    var mark: UInt64
    /// The clock as in ``InAppSyncVersion``. A time at which another change may still happen is stored as 0, which no
    /// row has.
    var clock: Int64
    var device: Int64
    var contact: Int64
    /// The versions of the messages that the device has.
    var held: [CampaignID: Int]

    /// - Parameter now: the time of the response. A change of the last second may be followed by another with the same
    ///   time.
    init(mark: UInt64, stamp: InAppSyncVersion, held: [CampaignID: Int], now: Date) {
        let settled = now.milliseconds - 1_000
        self.mark = mark
        clock = stamp.clock
        device = stamp.device <= settled ? stamp.device : 0
        contact = stamp.contact <= settled ? stamp.contact : 0
        self.held = held
    }

    /// Makes the next sync query again, because there is more to send.
    mutating func expire() {
        device = 0
    }

    /// Whether nothing can have changed for its owner since the cursor was made.
    func stands(at stamp: InAppSyncVersion, mark: UInt64) -> Bool {
        !stamp.isVolatile && self.mark == mark && clock == stamp.clock && device == stamp.device
            && contact == stamp.contact
    }
}

/// The text format: a format number, the mark, and numbers with seven bits in each byte.
extension InAppCursor {
    var text: String {
        var bytes = [Self.format] + withUnsafeBytes(of: mark.bigEndian) { Array($0) }
        for number in [clock, device, contact] { Self.append(number, to: &bytes) }
        var last: Int64 = 0
        for (campaign, version) in held.sorted(by: { $0.key < $1.key }) {
            Self.append(campaign.number - last, to: &bytes)
            Self.append(Int64(version), to: &bytes)
            last = campaign.number
        }
        return Base64URL.encode(bytes)
    }

    /// Nil for a text that no server of this version has made.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, let bytes = Base64URL.decode(text), bytes.count > 9,
            bytes[0] == Self.format
        else { return nil }
        mark = bytes[1...8].reduce(0) { $0 << 8 | UInt64($1) }
        var rest = bytes[9...]
        guard let clock = Self.number(&rest), let device = Self.number(&rest), let contact = Self.number(&rest)
        else { return nil }
        self.clock = clock
        self.device = device
        self.contact = contact
        held = [:]
        var last: Int64 = 0
        while !rest.isEmpty {
            guard let step = Self.number(&rest), step <= CampaignID.maximum, let campaign = CampaignID(last + step),
                step > 0, let version = Self.number(&rest), version <= Int32.max, held.count < Self.maximumHeld
            else { return nil }
            held[campaign] = Int(version)
            last = campaign.number
        }
    }

    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(max(number, 0))
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Nil when the number is cut off or has more than 63 bits.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
        var number: UInt64 = 0
        for place in 0..<9 {
            guard let byte = bytes.popFirst() else { return nil }
            number |= UInt64(byte & 0x7f) << (7 * UInt64(place))
            if byte < 0x80 { return Int64(exactly: number) }
        }
        return nil
    }
}

extension ServerKeys {
    /// The owner of a cursor. Another device of the same contact has other messages, and so has another contact of the
    /// same device.
    func inAppMark(device: Int64, contact: Int64) -> UInt64 {
        var code = HMAC<SHA256>(key: inAppCursor)
        withUnsafeBytes(of: (device.bigEndian, contact.bigEndian)) { code.update(data: $0) }
        return code.finalize().withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }
}
