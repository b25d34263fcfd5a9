import BelfryModel

extension CampaignCheck {
    /// What a campaign does to badges (BADGE-1). More than the app's maximum is no fault: the maximum is shown.
    mutating func check(_ badge: BadgeChange?, _ field: String) {
        guard let badge else { return }
        let highest = SettingsCheck.badgeCounts.upperBound
        switch (badge.op, badge.value) {
        case (.increment, nil), (.clear, nil): break
        case (.increment, let value?):
            require(
                (1...highest).contains(value), "\(field).value", "outOfRange",
                "A badge is incremented by 1 to \(highest)."
            )
        case (.set, let value?):
            require((0...highest).contains(value), "\(field).value", "outOfRange", "A badge is 0 to \(highest).")
        case (.set, nil):
            refuse("\(field).value", "missing", "A badge that is set needs its value.")
        case (.clear, _):
            refuse("\(field).value", "notTogether", "A badge that is cleared has no value.")
        }
    }
}
