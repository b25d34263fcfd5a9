import BelfryModel
import Foundation

/// The time zone of a recipient's clock (CAMP-5): the device's own, otherwise its offset, otherwise the app's.
///
/// Creating one costs a lookup, so recipients with the same two texts should share it.
package struct RecipientZone: Hashable, Sendable {
    /// The source of the time zone.
    package enum Source: String, Hashable, Sendable, Codable {
        /// The device reported its time zone.
        case device
        /// The device reported only its offset from UTC, so changes of its clock are not known.
        case deviceOffset
        /// The device reported nothing readable, so the app's time zone is used.
        case app
    }

    package let source: Source
    /// The time zone itself, for code that shows its time.
    package let timeZone: TimeZone
    /// The name as it was reported: systems have their own names.
    private let name: String

    /// The offsets of the world's time zones, in seconds.
    private static let offsets = -12 * 3600...14 * 3600

    /// - Parameters:
    ///   - device: the device's registered time zone: `Europe/Paris`, `+02:00`, `+0200`, `UTC`. Nil for none.
    ///   - app: the app's setting. A zone that this system does not know becomes UTC.
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

    /// The time zone in words, for the ledger: "Europe/Paris, the device's zone".
    package var note: String {
        switch source {
        case .device: "\(name), the device's zone"
        case .deviceOffset: "\(name), the device's offset, because it has no zone"
        case .app: "\(name), the app's zone, because the device has none"
        }
    }

    /// The time that the recipient's clock shows.
    package func clock(at date: Date) -> String {
        LocalDateTime(date, in: timeZone).description
    }

    private static func offsetText(_ seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        let parts = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(seconds < 0 ? "-" : "+")\(parts.joined(separator: ":"))"
    }
}
