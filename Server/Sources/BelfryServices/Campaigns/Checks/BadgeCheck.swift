import BelfryModel

/// Checks a campaign's badge change (BADGE-1). A number above the app's maximum is no error: devices show the maximum.
struct BadgeCheck {
    let badge: BadgeChange?
    let field: String

    func check(_ errors: inout FieldErrors) {
        guard let badge else { return }
        let highest = SettingsCheck.badgeCounts.upperBound
        let place = "\(field).value"
        switch (badge.op, badge.value) {
        case (.increment, nil), (.clear, nil): break
        case (.increment, let value?):
            errors.require(value, in: 1...highest, place) { "A badge is incremented by \($0)." }
        case (.set, let value?):
            errors.require(value, in: 0...highest, place) { "A badge is \($0)." }
        case (.set, nil): errors.reject(place, "missing", "A badge with 'set' needs a value.")
        case (.clear, _): errors.reject(place, "notTogether", "A badge with 'clear' has no value.")
        }
    }
}
