import BelfryModel
import BelfryServerModel
import Foundation

/// The app's time zone (ADM-2). Marketers type and read all times in it.
struct AppZone: Sendable {
    /// The name of the zone as the app's settings have it.
    let name: String
    let zone: TimeZone

    init(named name: String) {
        self.name = name
        zone = ZoneName(name)?.timeZone ?? .gmt
    }

    init(_ settings: AppSettings) {
        self.init(named: settings.timeZoneName)
    }

    /// The zone in which a form has shown its times. The times that were typed are read in it, even if the app's zone
    /// has changed since (CON-5). A form that names no zone means the app's; nil for an unknown zone.
    init?(shownBy form: FormFields, of settings: AppSettings) {
        guard form.contains(Self.fieldName) else {
            self.init(settings)
            return
        }
        guard let shown = ZoneName(form[Self.fieldName]) else { return nil }
        self.init(named: shown.text)
    }

    /// The form field with the name of the zone in which the form shows its times.
    static let fieldName = "zone"

    /// `1 Dec 2026, 18:00 (Europe/Paris)`.
    func text(_ date: Date) -> String {
        "\(Self.text(LocalDateTime(date, in: zone))) (\(name))"
    }

    /// `1 Dec 2026, 18:00`.
    static func text(_ time: LocalDateTime) -> String {
        let wall = Moment.text(Date(timeIntervalSince1970: TimeInterval(time.secondsInUTC)))
        return String(decoding: wall.utf8.dropLast(" UTC".utf8.count), as: UTF8.self)
    }

    /// `18:00`.
    static func clock(_ time: LocalDateTime) -> String {
        String(decoding: time.description.utf8.dropFirst(11).prefix(5), as: UTF8.self)
    }

    /// The local time at a moment.
    func local(_ date: Date) -> LocalDateTime {
        LocalDateTime(date, in: zone)
    }

    /// The text of a moment in a form's date and time field: `2026-12-01T18:00`.
    func field(_ date: Date) -> String {
        Self.field(LocalDateTime(date, in: zone))
    }

    static func field(_ time: LocalDateTime) -> String {
        String(decoding: time.description.utf8.prefix(16), as: UTF8.self)
    }

    /// The moment that a form's date and time field names; nil for any other text.
    func date(_ field: String) -> Date? {
        LocalDateTime(field)?.date(in: zone)
    }
}
