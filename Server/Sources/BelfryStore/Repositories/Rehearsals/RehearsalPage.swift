import Foundation

/// What a rehearsal has found for one device.
package struct RehearsedDevice: Hashable, Sendable {
    package let device: Int64
    /// The place of the outcome among those of the rehearsal.
    package let outcome: Int
    /// Seconds after the rehearsed launch at which it would leave, or end.
    package let after: Int

    package init(device: Int64, outcome: Int, after: Int) {
        self.device = device
        self.outcome = outcome
        self.after = after
    }
}

/// The devices of one page, in the order of their numbers, packed into few bytes: a million of them is some megabytes.
package struct RehearsalPage: Hashable, Sendable {
    /// Outcomes that are told apart by the page's mask; those behind share the last bit.
    private static let bits = 62

    package let devices: [RehearsedDevice]

    /// - Parameter devices: in the order of their numbers.
    package init(_ devices: [RehearsedDevice]) {
        self.devices = devices
    }

    /// Which outcomes are there, so that a page without one need not be unpacked.
    var outcomes: Int64 {
        devices.reduce(0) { $0 | Self.bit(of: $1.outcome) }
    }

    static func bit(of outcome: Int) -> Int64 { 1 << Int64(min(max(outcome, 0), bits)) }

    package var packed: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(devices.count * 5)
        var last: Int64 = 0
        for entry in devices {
            Self.append(UInt64(bitPattern: entry.device &- last), to: &bytes)
            Self.append(UInt64(max(entry.outcome, 0)), to: &bytes)
            Self.append(UInt64(max(entry.after, 0)), to: &bytes)
            last = entry.device
        }
        return bytes
    }

    /// Nil for bytes that are none.
    package init?(packed bytes: [UInt8]) {
        var devices: [RehearsedDevice] = []
        var rest = bytes[...]
        var last: Int64 = 0
        while !rest.isEmpty {
            guard let step = Self.number(&rest), let outcome = Self.number(&rest), let after = Self.number(&rest),
                let outcome = Int(exactly: outcome), let after = Int(exactly: after)
            else { return nil }
            last &+= Int64(bitPattern: step)
            devices.append(RehearsedDevice(device: last, outcome: outcome, after: after))
        }
        self.devices = devices
    }

    /// Seven bits in each byte, the lowest first.
    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var (number, shift) = (UInt64(0), UInt64(0))
        while let byte = bytes.popFirst() {
            guard shift < 64 else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
        }
        return nil
    }
}
