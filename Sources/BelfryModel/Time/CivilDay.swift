/// A day of the Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms").
public struct CivilDay: Hashable, Sendable {
    public let year: Int64
    /// The month, 1 to 12.
    public let month: Int64
    /// The day, 1 to 31.
    public let day: Int64

    /// Nil for a day that does not exist in the calendar, and for years before the first.
    public init?(year: Int64, month: Int64, day: Int64) {
        guard year >= 1, (1...12).contains(month), (1...Self.days(inMonth: month, of: year)).contains(day) else {
            return nil
        }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// - Parameter days: counted from 1 January 1970.
    public init(daysSince1970 days: Int64) {
        let shifted = days + Self.daysFromEraTo1970
        let era = (shifted >= 0 ? shifted : shifted - Self.daysPerEra + 1) / Self.daysPerEra
        let dayOfEra = shifted - era * Self.daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    public var daysSince1970: Int64 {
        // Years begin in March here, so that a leap day is the last day of its year.
        let yearFromMarch = month <= 2 ? year - 1 : year
        let era = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
        let yearOfEra = yearFromMarch - era * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.daysFromEraTo1970
    }

    /// The number of days in an era of 400 years, which begins on 1 March of year 0.
    private static let daysPerEra: Int64 = 146_097
    private static let daysFromEraTo1970: Int64 = 719_468

    private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
