import BelfryModel
import Foundation

/// The time zone in which a recipient's clock is read (CAMP-5): the device's own, else its offset, else the app's.
///
/// Making one costs a look-up; recipients with the same two texts share it.
package struct RecipientZone: Hashable, Sendable {
    /// Where the zone comes from.
    package enum Source: String, Hashable, Sendable, Codable {
        /// The device named its zone.
        case device
        /// The device said only how far its clock is from UTC, so changes of the clocks are not known.
        case deviceOffset
        /// The device said nothing that can be read.
        case app
    }

    package let source: Source
    /// The zone itself, for whoever shows its time.
    package let timeZone: TimeZone
    /// As whoever named it writes it: systems have names of their own.
    private let name: String

    /// The offsets that zones of the world have, in seconds.
    private static let offsets = -12 * 3600...14 * 3600

    /// - Parameters:
    ///   - device: as the device registered it: `Europe/Paris`, `+02:00`, `+0200`, `UTC`; nil for none.
    ///   - app: the app's setting; one that this system does not know is UTC.
    package init(device: String?, app: String) {
        let zone = device.flatMap(ZoneName.init)
        if let zone, let offset = zone.offset, Self.offsets.contains(offset) {
            (source, timeZone, name) = (.deviceOffset, zone.timeZone, Self.offsetText(offset))
        } else if let zone, zone.namesOneZone {
            (source, timeZone, name) = (.device, zone.timeZone, zone.text)
        } else if let zone = ZoneName(app), zone.namesOneZone {
            (source, timeZone, name) = (.app, zone.timeZone, zone.text)
        } else {
            (source, timeZone, name) = (.app, .gmt, "UTC")
        }
    }

    /// The zone in words, for the ledger: "Europe/Paris, the device's zone".
    package var note: String {
        switch source {
        case .device: "\(name), the device's zone"
        case .deviceOffset: "\(name), the device's offset, because it has no zone"
        case .app: "\(name), the app's zone, because the device has none"
        }
    }

    /// What the recipient's clock shows at a moment.
    package func clock(at date: Date) -> String {
        LocalDateTime(date, in: timeZone).description
    }

    private static func offsetText(_ seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        let parts = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(seconds < 0 ? "-" : "+")\(parts.joined(separator: ":"))"
    }
}
