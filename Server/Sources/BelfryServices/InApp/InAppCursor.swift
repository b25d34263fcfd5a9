import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// What a device has of in-app messages, and what stood in the store when it got them (WIRE-9). The device keeps it, so
/// that the server remembers nothing of an answer that may have been lost.
///
/// It is no secret and no proof: whoever forges one gets too many messages or too few, and only their own.
struct InAppCursor: Hashable, Sendable {
    /// Messages beside those that the app's campaigns offer now: enough for years, and few enough for an address.
    static let maximumOthers = 200
    /// What a device can hold: one that says it has more was made by no server.
    static let maximumHeld = InAppSync.maximumMessages + maximumOthers
    /// Characters.
    static let maximumLength = 8_192
    private static let format: UInt8 = 1

    /// Whose it is: a digest of device and contact.
    var mark: UInt64
    /// As in ``InAppSyncVersion``; a moment that may still see another change is 0, which no row has.
    var clock: Int64
    var device: Int64
    var contact: Int64
    /// The versions that the device has.
    var held: [CampaignID: Int]

    /// - Parameter now: of the answer. What was written in the last second may be written again with the same moment.
    init(mark: UInt64, stamp: InAppSyncVersion, held: [CampaignID: Int], now: Date) {
        let settled = now.milliseconds - 1_000
        self.mark = mark
        clock = stamp.clock
        device = stamp.device <= settled ? stamp.device : 0
        contact = stamp.contact <= settled ? stamp.contact : 0
        self.held = held
    }

    /// Lets the next sync look again, because there is more to send.
    mutating func expire() {
        device = 0
    }

    /// Whether nothing can have changed for its owner since it was made.
    func stands(at stamp: InAppSyncVersion, mark: UInt64) -> Bool {
        !stamp.isVolatile && self.mark == mark && clock == stamp.clock && device == stamp.device
            && contact == stamp.contact
    }
}

/// As text: a format, the mark, and numbers of seven bits a byte.
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

    /// Nil for what no server of this version has made.
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

    /// Nil when it is cut off or has more than 63 bits.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
        var number: UInt64 = 0
        for place in 0..<9 {
            guard let byte = bytes.popFirst() else { return nil }
            number |= UInt64(byte & 0x7f) << (7 * UInt64(place))
            if byte < 0x80 { return Int64(number) }
        }
        return nil
    }
}

extension ServerKeys {
    /// Whose a cursor is: another device of the same contact has other messages, and so has another contact of the
    /// device.
    func inAppMark(device: Int64, contact: Int64) -> UInt64 {
        var code = HMAC<SHA256>(key: inAppCursor)
        withUnsafeBytes(of: (device.bigEndian, contact.bigEndian)) { code.update(data: $0) }
        return code.finalize().withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }
}
