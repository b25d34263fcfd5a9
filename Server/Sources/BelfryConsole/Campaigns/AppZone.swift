import BelfryModel
import BelfryServerModel
import Foundation

/// The app's time zone: what marketers type is a time of its clocks (ADM-2), and what they read, too.
struct AppZone: Sendable {
    /// As the settings name it.
    let name: String
    let zone: TimeZone

    init(named name: String) {
        self.name = name
        zone = ZoneName(name)?.timeZone ?? .gmt
    }

    init(_ settings: AppSettings) {
        self.init(named: settings.timeZoneName)
    }

    /// The zone by whose clocks a form has shown its times: what was typed is a time of these, whatever the app's zone is
    /// by now (CON-5). That of the app where the form does not say; nil for a name of none.
    init?(shownBy form: FormFields, of settings: AppSettings) {
        guard form.contains(Self.fieldName) else {
            self.init(settings)
            return
        }
        guard let shown = ZoneName(form[Self.fieldName]) else { return nil }
        self.init(named: shown.text)
    }

    /// The field in which a form says by whose clocks it shows its times.
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

    /// What the clocks show at a moment.
    func local(_ date: Date) -> LocalDateTime {
        LocalDateTime(date, in: zone)
    }

    /// As a field for a time has it: `2026-12-01T18:00`.
    func field(_ date: Date) -> String {
        Self.field(LocalDateTime(date, in: zone))
    }

    static func field(_ time: LocalDateTime) -> String {
        String(decoding: time.description.utf8.prefix(16), as: UTF8.self)
    }

    /// The moment of what a field for a time has; nil for anything else.
    func date(_ field: String) -> Date? {
        LocalDateTime(field)?.date(in: zone)
    }
}
